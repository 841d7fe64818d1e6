// Judges requests by the simulator that npm brings: JSON in, a verdict a request out.
// It decides nothing itself; what the simulator finds invalid is said, never taken for a denial.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { runSimulation } = createRequire(process.argv[2])('@cloud-copilot/iam-simulate')
const { account, asked } = JSON.parse(readFileSync(0, 'utf8'))
const all = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] }
const verdicts = []
for (const { policies, action, resource, context } of asked) {
  const found = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${account}:role/somebody`,
        action,
        resource: { resource, accountId: account },
        contextVariables: context,
      },
      identityPolicies: policies.map((policy, place) => ({ name: `p${place}`, policy })),
      serviceControlPolicies: [
        { orgIdentifier: 'root', policies: [{ name: 'all', policy: all }] },
      ],
      resourceControlPolicies: [],
    },
    {},
  )
  // A request on "*" where the action knows resources is judged once a pattern of the policies.
  const results = found.result ? [found.result] : (found.results ?? [])
  verdicts.push(
    found.resultType === 'error'
      ? { invalid: found.errors }
      : {
          allowed: found.overallResult === 'Allowed',
          ignored: results.flatMap((one) => one.ignoredContextKeys ?? []),
        },
  )
}
process.stdout.write(JSON.stringify(verdicts))
