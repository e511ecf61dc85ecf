"""Base classes of most rows: read through the ORM, and written only by SQL."""

from typing import Any, ClassVar, NoReturn

from django.db import models


class ReadOnly(models.QuerySet[Any]):
    """Rows that are read through the ORM and never written through it."""

    def _refuse(self, *_args: Any, **_values: Any) -> NoReturn:
        raise TypeError(f"{self.model.__name__} rows are written by {self.model.written_by} only")

    update = delete = create = bulk_create = bulk_update = _refuse
    get_or_create = update_or_create = _refuse


class WrittenBySql(models.Model):
    """A row that only the statements of ``written_by`` may write."""

    written_by: ClassVar = "groups.store.apply"

    objects = ReadOnly.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: only SQL writes these rows."""
        raise TypeError(f"{type(self).__name__} rows are written by {self.written_by} only")

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: only SQL writes these rows."""
        raise TypeError(f"{type(self).__name__} rows are deleted by {self.written_by} only")
