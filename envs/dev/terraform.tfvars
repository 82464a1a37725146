account_id = "111122223333"
