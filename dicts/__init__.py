"""Dictionaries for the Chinese cut, as package data."""
