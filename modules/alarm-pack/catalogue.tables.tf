locals {
  # Both metrics exist by operation only; an alarm on an expression has ten metrics at most.
  table_operations = ["BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "TransactGetItems", "TransactWriteItems", "UpdateItem"]
  # AWS/DynamoDB ignores missing data whatever an alarm says: filled, an alarm comes back to OK.
  table_sum = join(" + ", [for operation in local.table_operations : "FILL(${lower(operation)}, 0)"])
  table_targets = { for key, table in var.tables : key => {
    sources = merge(
      { for operation in local.table_operations : operation => { namespace = "AWS/DynamoDB", dimensions = { TableName = table.table_name, Operation = operation } } },
      { table = { namespace = "AWS/DynamoDB", dimensions = { TableName = table.table_name } } },
    )
    limits = {}
  } }
  account_targets = { for key in var.account ? ["account"] : [] : key => {
    sources = { account = { namespace = "AWS/DynamoDB", dimensions = {} } }
    limits  = {}
  } }

  table_alarms = {
    table-system-errors = {
      service    = "table"
      text       = "DynamoDB itself has failed requests for minutes. They are repeated; see the AWS health dashboard."
      severity   = "warning"
      slows      = false
      metrics    = { for operation in local.table_operations : lower(operation) => { source = operation, name = "SystemErrors", stat = "Sum" } }
      expression = local.table_sum
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 5
      datapoints = 3
      targets    = local.table_targets
    }
    table-throttled-requests = {
      service    = "table"
      text       = "DynamoDB has refused requests for minutes, for want of throughput. They are repeated; look for one partition that takes all, or a limit on the table."
      severity   = "warning"
      slows      = true
      metrics    = { for operation in local.table_operations : lower(operation) => { source = operation, name = "ThrottledRequests", stat = "Sum" } }
      expression = local.table_sum
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 5
      datapoints = 3
      targets    = local.table_targets
    }
    table-transaction-conflicts = {
      service    = "table"
      text       = "Many transactions met another one on the same row. They are repeated; see whether two runs are at work, or rows are too coarse."
      severity   = "warning"
      slows      = false
      metrics    = { conflicts = { source = "table", name = "TransactionConflict", stat = "Sum" } }
      expression = "FILL(conflicts, 0)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 100
      share      = null
      limit      = null
      period     = 300
      periods    = 1
      datapoints = null
      targets    = local.table_targets
    }
  }

  account_alarms = {
    account-user-errors = {
      service    = "account"
      text       = "Something in this account sends DynamoDB requests that can never succeed. CloudTrail tells who; look at what was deployed last."
      severity   = "info"
      slows      = false
      metrics    = { errors = { source = "account", name = "UserErrors", stat = "Sum" } }
      expression = "FILL(errors, 0)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 100
      share      = null
      limit      = null
      period     = 300
      periods    = 1
      datapoints = null
      targets    = local.account_targets
    }
  }
}
