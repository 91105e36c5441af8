"""The window: store, compute thread, editors, browser, views."""
