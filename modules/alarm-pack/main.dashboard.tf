locals {
  dashboard_url = null
}
