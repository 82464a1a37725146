"""Lambda's context object, as far as the functions look at it."""


class FakeContext:
    """`remaining` is in milliseconds and may be changed while a batch runs."""

    function_name = "function-under-test"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:ap-northeast-1:111122223333:function:function-under-test"
    aws_request_id = "00000000-0000-0000-0000-000000000001"

    def __init__(self, remaining: int = 60_000) -> None:
        self.remaining = remaining

    def get_remaining_time_in_millis(self) -> int:
        return self.remaining
