module "auditor" {
  source = "../python-function"
  count  = var.auditor == null ? 0 : 1

  name            = "${var.name}-auditor"
  description     = "Compares each run of the job ${var.job} with the ledger."
  package         = { path = var.auditor.package, handler = var.auditor.handler }
  memory_mb       = var.auditor.memory_mb
  timeout_seconds = var.auditor.timeout_seconds
  log             = local.log
  tags            = var.tags

  environment_kms_key_arn  = var.kms_key_arn
  permissions_boundary_arn = var.permissions_boundary_arn
  policies = {
    audit   = data.aws_iam_policy_document.auditor.json
    produce = module.queue.producer_policy_json
  }

  asynchronous = local.asynchronous
  environment  = local.sending_environment
}

locals {
  audit_schedules = var.auditor == null ? {} : {
    audit = {
      function_arn            = one(module.auditor[*].function.arn)
      description             = "Audits the job ${var.job}."
      expression              = var.auditor.expression
      timezone                = var.schedule.timezone
      flexible_window_minutes = null
      enabled                 = var.auditor.enabled # Not with the job: what was switched off by mistake is then told.
      input                   = { job = var.job }
    }
  }
}

data "aws_iam_policy_document" "auditor" {
  source_policy_documents = [data.aws_iam_policy_document.sender.json]

  statement {
    sid       = "KeepRunRow"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [var.tables.jobs.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [local.run_partition]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  # Effects by tenant, and what has been written off. Runs and halts are none of the ledger.
  statement {
    sid       = "ReadLedger"
    actions   = ["dynamodb:Query"]
    resources = [var.tables.jobs.arn]

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  statement {
    sid       = "ReadTheLedgerOnly"
    effect    = "Deny"
    actions   = ["dynamodb:Query"]
    resources = [var.tables.jobs.arn]

    condition {
      test     = "ForAnyValue:StringLike"
      variable = "dynamodb:LeadingKeys"
      values   = ["halt#*", "run#*"]
    }
  }
}
