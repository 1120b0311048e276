import { type AppFacts, type Failure, isMissing } from 'appreg';
import type { ObservedAbout } from 'appreg/node';
import { type LearnedAbout } from '../domain/about.ts';
import { type RequestCredentials, unlessSecret } from './credentials.ts';
import { redactedMissing } from '../domain/hidden-network.ts';

/**
 * Result for the about file of an app, and the facts to judge.
 * @param part.about null if it was not requested
 * @returns `unreached`: a failure of the network, which subscribers do not see; null for none
 */
export function learnedAbout(
  { facts, about }: { facts: AppFacts; about: ObservedAbout | null },
  credentials: RequestCredentials,
): { learned: LearnedAbout; facts: AppFacts; unreached: Failure | null } {
  return { learned: learnedFrom(facts, about, credentials), ...judgedFacts(facts, about) };
}

function learnedFrom(
  { about }: AppFacts,
  observed: ObservedAbout | null,
  credentials: RequestCredentials,
): LearnedAbout {
  // Its metadata file could not be read, so that it was not requested.
  if (observed === null) return 'unknown';
  if (about === undefined) return 'absent';
  const { content } = about;
  if (isMissing(content)) return content.missing.code === 'url-signed' ? 'absent' : 'unknown';
  const { known } = observed;
  // The content is free of credentials; a host may echo them elsewhere.
  const request = known && unlessSecret(credentials, { url: known.url, condition: known.condition });
  return { url: request?.url ?? '', condition: request?.condition ?? null, content };
}

/** The facts without what is no news, or would reveal the network of the service. */
function judgedFacts(facts: AppFacts, observed: ObservedAbout | null): { facts: AppFacts; unreached: Failure | null } {
  const { about, ...rest } = facts;
  if (about === undefined || !isMissing(about.content)) return { facts, unreached: null };
  // A metadata file with such a URL has no about file.
  if (about.content.missing.code === 'url-signed') return { facts: rest, unreached: null };
  const { shown, hidden } = redactedMissing(about.content, observed?.failure ?? null);
  return { facts: { ...rest, about: { ...about, content: shown } }, unreached: hidden };
}
