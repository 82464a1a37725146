"""How quickly a consumer charges, beside the two usual ways to write one."""
