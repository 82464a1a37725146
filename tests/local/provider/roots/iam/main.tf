data "aws_caller_identity" "current" {}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = var.changed ? ["lambda.amazonaws.com", "scheduler.amazonaws.com"] : ["lambda.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

data "aws_iam_policy_document" "logs" {
  statement {
    actions   = var.changed ? ["logs:PutLogEvents"] : ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["arn:aws:logs:*:*:log-group:cycle:*"]
  }
}

resource "aws_iam_role" "this" {
  name                 = "cycle-role"
  description          = var.changed ? "second" : "first"
  assume_role_policy   = data.aws_iam_policy_document.trust.json
  max_session_duration = var.changed ? 7200 : 3600
  tags                 = var.changed ? { job = "charge" } : {}
}

resource "aws_iam_role_policy" "this" {
  name   = "cycle-inline"
  role   = aws_iam_role.this.name
  policy = data.aws_iam_policy_document.logs.json
}

resource "aws_iam_policy" "this" {
  name   = "cycle-policy"
  path   = "/cycle/"
  policy = data.aws_iam_policy_document.logs.json
  tags   = { job = var.changed ? "co2" : "charge" }
}

resource "aws_iam_role_policy_attachment" "this" {
  role       = aws_iam_role.this.name
  policy_arn = aws_iam_policy.this.arn
}

resource "aws_iam_openid_connect_provider" "this" {
  url             = "https://token.actions.example.com"
  client_id_list  = ["sts.amazonaws.com"]
  thumbprint_list = ["0123456789abcdef0123456789abcdef01234567"]
}
