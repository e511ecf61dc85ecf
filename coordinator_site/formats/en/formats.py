"""Times in the format of logs: they sort, and day and month cannot be confused. All are UTC, which
they state."""

DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = "Y-m-d H:i:s e"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
FIRST_DAY_OF_WEEK = 1
