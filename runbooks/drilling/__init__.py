"""`dns-runbook drill`: a failure is made in a sandbox; a person, or the page's commands, end it.

`failures` says what there is, `making` how it is made and `ending` what ends it; `opening` spawns
the sandbox, `stand` reaches into it; `watching` looks at its DNS all the time, `judging` says
whether promises held, `report` writes it down, and `drill` plays one. Nothing here reaches anything
but the sandbox that it spawned.
"""
