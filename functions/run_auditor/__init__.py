"""The auditor of a monthly job: hours after the run, is every effect of it in the ledger?"""
