resource "aws_dynamodb_table" "this" {
  name                        = "cycle-table"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "pk"
  range_key                   = "sk"
  deletion_protection_enabled = false
  stream_enabled              = var.changed
  stream_view_type            = var.changed ? "NEW_AND_OLD_IMAGES" : null
  tags                        = { job = var.changed ? "co2" : "charge" }

  attribute {
    name = "pk"
    type = "S"
  }

  attribute {
    name = "sk"
    type = "S"
  }

  dynamic "attribute" {
    for_each = var.changed ? ["run_id"] : []

    content {
      name = attribute.value
      type = "S"
    }
  }

  dynamic "global_secondary_index" {
    for_each = var.changed ? ["run_id"] : []

    content {
      name            = global_secondary_index.value
      hash_key        = global_secondary_index.value
      range_key       = "sk"
      projection_type = "KEYS_ONLY"
    }
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = !var.changed
  }

  server_side_encryption {
    enabled = true
  }
}

resource "aws_dynamodb_table" "plain" {
  name           = "cycle-plain"
  hash_key       = "id"
  read_capacity  = var.changed ? 2 : 1
  write_capacity = 1

  attribute {
    name = "id"
    type = "S"
  }
}
