"""The sentinel's ways to the outside: name servers, Route 53's control API, disk and alarms."""
