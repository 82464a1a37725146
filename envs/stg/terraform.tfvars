account_id = "444455556666"
