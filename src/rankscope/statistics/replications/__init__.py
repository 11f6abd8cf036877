"""One comparison made several times: on several collections, with several runs of each system."""
