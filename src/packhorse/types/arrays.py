"""Names for the arrays that travel between stages. Import under TYPE_CHECKING only."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating]
"""Scores and vectors. Scores are float64 and rounded to six decimals; vectors float32."""
IntArray = npt.NDArray[np.integer]
"""Ranks and token counts, int64."""
BoolArray = npt.NDArray[np.bool_]
"""Masks."""
