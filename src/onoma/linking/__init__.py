"""Entity linking: which entry of an entity list a mention means, or that it means none of them (NIL)."""
