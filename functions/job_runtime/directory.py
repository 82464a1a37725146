"""The directory of tenants and employees, read in pages.

Rows: `pk` = tenant id; `sk` = `tenant` for the tenant itself, `employee#<employee id>` for an employee.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.types import TypeDeserializer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

TENANT: Final = "tenant"
EMPLOYEE: Final = "employee#"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The key of the last row read; the next page starts behind it."""

    pk: str
    sk: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it was found; `attributes` are plain values, numbers int or Decimal."""

    tenant_id: str
    sort_key: str
    attributes: Mapping[str, Any]

    @property
    def employee_id(self) -> str:
        """The id in the sort key; the whole of it when the row is no employee's."""
        return self.sort_key.removeprefix(EMPLOYEE)

    @property
    def is_employee(self) -> bool:
        """Whether the sort key is one of an employee."""
        return self.sort_key.startswith(EMPLOYEE)

    @property
    def is_tenant(self) -> bool:
        """Whether the row is the tenant's own."""
        return self.sort_key == TENANT


@dataclass(frozen=True, slots=True)
class Page:
    """The rows of one page, in the table's order; `cursor` is None on the last page."""

    rows: tuple[Row, ...]
    cursor: Cursor | None


class Directory:
    """Reads the directory table."""

    def __init__(self, dynamodb: "DynamoDBClient", table: str, *, page_size: int) -> None:
        """`page_size`: rows a page, at most; DynamoDB also ends a page at 1 MB."""
        self._dynamodb = dynamodb
        self._table = table
        self._page_size = page_size
        self._deserialize = TypeDeserializer().deserialize

    def page(self, cursor: Cursor | None) -> Page:
        """The page behind `cursor`; the first one for None.

        Rows of one tenant come together and sorted. The read is consistent: an employee who was entered
        before the run is in it.
        """
        start: dict[str, Any] = (
            {"ExclusiveStartKey": {"pk": {"S": cursor.pk}, "sk": {"S": cursor.sk}}} if cursor else {}
        )
        answer = self._dynamodb.scan(
            TableName=self._table, Limit=self._page_size, ConsistentRead=True, **start
        )
        last = answer.get("LastEvaluatedKey")
        return Page(
            rows=tuple(self._row(item) for item in answer["Items"]),
            cursor=Cursor(last["pk"]["S"], last["sk"]["S"]) if last else None,
        )

    def rows(self) -> Iterator[Row]:
        """Every row, page after page."""
        page = self.page(None)
        yield from page.rows
        while page.cursor:
            page = self.page(page.cursor)
            yield from page.rows

    def _row(self, item: "Mapping[str, AttributeValueTypeDef]") -> Row:
        values = {name: _plain(self._deserialize(value)) for name, value in item.items()}
        return Row(values.pop("pk"), values.pop("sk"), values)


def _plain(value: Any) -> Any:
    """`value` with whole numbers as int; a fraction stays a Decimal, which no schema takes for an integer."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else value
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
        case _:
            return value
