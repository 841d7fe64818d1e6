"""An authoritative DNS server that answers from the stand-in's zones as Route 53 would."""
