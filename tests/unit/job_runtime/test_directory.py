"""How the directory is read."""

from decimal import Decimal

from job_runtime import aws
from job_runtime.directory import Cursor, Directory, Row
from tests.support.job import DIRECTORY_TABLE, Job


def enter(tenant: str, sort_key: str, **attributes: object) -> None:
    item = {"pk": {"S": tenant}, "sk": {"S": sort_key}, **attributes}
    aws.dynamodb().put_item(TableName=DIRECTORY_TABLE, Item=item)  # type: ignore[arg-type]


def read(page_size: int) -> list[list[Row]]:
    """The rows that are no tenant's, page by page."""
    directory = Directory(aws.dynamodb(), DIRECTORY_TABLE, page_size=page_size)
    pages, cursor = [], None
    while True:
        page = directory.page(cursor)
        pages.append([row for row in page.rows if not row.is_tenant])
        cursor = page.cursor
        if cursor is None:
            return pages


def test_all_rows_are_those_of_all_pages(job: Job) -> None:
    for number in range(25):
        enter("t1", f"employee#e{number:02}")
    rows = list(Directory(aws.dynamodb(), DIRECTORY_TABLE, page_size=10).rows())
    assert [row for row in rows if not row.is_tenant] == [row for page in read(10) for row in page]
    assert {row.tenant_id for row in rows if row.is_tenant} == {"t1", "t2", "t3"}


def test_pages_hold_every_employee_once_and_in_order_inside_a_tenant(job: Job) -> None:
    for tenant in ("t1", "t2"):
        for number in range(25):
            enter(tenant, f"employee#e{number:02}")
    pages = read(page_size=10)
    assert all(len(page) <= 10 for page in pages)
    rows = [row for page in pages for row in page]
    assert len(rows) == 50
    for tenant in ("t1", "t2"):
        ids = [row.employee_id for row in rows if row.tenant_id == tenant]
        assert ids == [f"e{number:02}" for number in range(25)]


def test_a_cursor_says_behind_which_row_the_next_page_starts(job: Job) -> None:
    enter("t1", "employee#a")
    enter("t1", "employee#b")
    directory = Directory(aws.dynamodb(), DIRECTORY_TABLE, page_size=50)
    behind = directory.page(Cursor("t1", "employee#a")).rows
    assert [row.sort_key for row in behind if row.tenant_id == "t1"] == ["employee#b", "tenant"]


def test_an_empty_directory_is_one_empty_page(mocked_aws: None) -> None:
    Job.create(aws.dynamodb(), aws.sqs())
    assert read(page_size=10) == [[]]


def test_whole_numbers_are_int_however_deep_and_fractions_stay_exact(job: Job) -> None:
    emissions = {"L": [{"M": {"category": {"S": "rail"}, "grams": {"N": "1200.0"}}}]}
    enter("t9", "employee#e", amount={"N": "1200.0"}, rate={"N": "0.1"}, emissions=emissions)
    (row,) = [row for page in read(page_size=50) for row in page]
    assert row.attributes == {
        "amount": 1200,
        "rate": Decimal("0.1"),
        "emissions": [{"category": "rail", "grams": 1200}],
    }
    assert type(row.attributes["amount"]) is int
    assert type(row.attributes["emissions"][0]["grams"]) is int


def test_the_row_of_a_tenant_is_no_employee_and_any_other_row_is_handed_on(job: Job) -> None:
    enter("t1", "employee#tenant")
    enter("t1", "invoice#2026")
    rows = [row for page in read(page_size=50) for row in page]
    assert [(row.sort_key, row.is_employee) for row in rows] == [
        ("employee#tenant", True),
        ("invoice#2026", False),
    ]


def test_the_read_is_consistent(job: Job) -> None:
    seen: list[dict[str, object]] = []
    client = aws.dynamodb()
    client.meta.events.register(
        "provide-client-params.dynamodb.Scan", lambda params, **_: seen.append(params)
    )
    Directory(client, DIRECTORY_TABLE, page_size=50).page(None)
    assert [call["ConsistentRead"] for call in seen] == [True]
