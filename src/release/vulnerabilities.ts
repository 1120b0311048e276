import { joined, message } from '../core/text/message.ts';
import { describeVulnerable, packageVulnerable } from '../core/rules/artifacts/package-vulnerable.ts';
import { FAILING_STATES } from '../core/release/state.ts';
import type { AdvisoryFolder } from '../observe/advisories/advisory-folder.ts';
import { brokenBy, type EvaluatedApp } from './evaluate.ts';
import type { OpenRepository } from './repository.ts';

/**
 * The apps with the known vulnerabilities of the packages in their code. Where the rule `package-vulnerable` is an error,
 * an app that would pass is broken.
 * @param advisories null if they are not looked up
 */
export async function withVulnerabilities(
  { severities }: OpenRepository,
  apps: readonly EvaluatedApp[],
  advisories: AdvisoryFolder | null,
): Promise<readonly EvaluatedApp[]> {
  if (advisories === null) return apps;
  const severity = (await severities())[packageVulnerable.id] ?? packageVulnerable.severity;
  if (severity === 'off') return apps;
  const judged: EvaluatedApp[] = [];
  for (const one of apps) {
    const { vulnerable } = await advisories.factsAbout(one.packages);
    const found = { ...one, result: { ...one.result, vulnerable } };
    const isRefused = severity === 'error' && vulnerable.length > 0 && !FAILING_STATES.includes(one.result.state);
    judged.push(isRefused ? refused(found) : found);
  }
  return judged;
}

function refused(one: EvaluatedApp): EvaluatedApp {
  const found = (one.result.vulnerable ?? []).map(describeVulnerable);
  return brokenBy(one, {
    message: message`The rule ${packageVulnerable.id} is an error here, and ${found.length === 1 ? 'a package has' : 'packages have'} known vulnerabilities.`,
    hint: joined(
      found.map(({ advice }) => advice),
      '\n',
    ),
  });
}
