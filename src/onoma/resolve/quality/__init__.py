"""How good an answer is: calibration against the truth, and what blocking missed without any."""
