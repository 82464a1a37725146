"""Tells Slack of alarms and error lines, by incident: one message each, kept up to date."""
