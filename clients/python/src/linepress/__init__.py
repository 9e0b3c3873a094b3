"""The client of Linepress, a server that makes printable coloring books.

`Linepress` plans, orders and downloads books. All other operations of the server are functions of `linepress.rest.api`,
which take `Linepress.rest` as their client, with the types of `linepress.rest.models`.
"""

from ._client import Linepress
from ._keys import new_key
from ._waiting import OperationFailed, OperationTimeout
from .errors import ApiError, LinepressError

__all__ = ["ApiError", "Linepress", "LinepressError", "OperationFailed", "OperationTimeout", "new_key"]
