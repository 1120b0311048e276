import { joined, message, type SafeText } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { redactor } from '../../core/text/redactor.ts';
import { asBase } from '../../observe/workspace/places.ts';
import { interceptionApiAdvice, interceptionText } from '../../core/http/interception-text.ts';
import { counted, redact, safeExcerpt, shellWord } from '../../core/text/text.ts';
import { openServiceClient } from '../../observe/service/service-client.ts';
import {
  acceptedId,
  awaitFirstCheck,
  type FirstCheck,
  requestSubscription,
  type Subscription,
  type SubscriptionAnswer,
} from '../../subscribe/subscribe.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { resolveInputs } from '../io/prompts.ts';
import { networkOf } from '../../observe/http/proxy.ts';
import { registryUrl } from '../../core/url/registry-url.ts';
import { authoritiesIn, givenHeaders } from '../check/verify-options.ts';
import { assertEncrypted, tokenFrom, registryAuth, secretsOfAuth } from './credentials.ts';
import { subscribeCommand } from '../define/subscribe.ts';

type Options = OptionsOf<typeof subscribeCommand>;

/**
 * `appreg subscribe <registry-url>` (spec 4.2). Exit 0 also if the organization is already subscribed; 1 if refused, if
 * the response is not one of the service, or if the registry turns out to be unusable.
 */
export async function runSubscribe(context: Context, url: string, options: Options): Promise<number> {
  const { terminal, env } = context;
  const inputs = await resolveInputs(context, {
    service: { option: subscribeCommand.options.service, given: options.service },
    name: { option: subscribeCommand.options.name, given: options.name },
  });
  if (inputs === null) return 130;
  const { service, name } = inputs;
  const registry = registryUrl(url);
  const base = asBase(service);
  const headers = [...givenHeaders(options, env), ...tokenFrom(options.tokenEnv, env)];
  const auth = registryAuth(options, env);
  const secrets = [...headers.map(([, value]) => value), ...secretsOfAuth(auth)];
  assertEncrypted(base, headers.length > 0 || auth !== null);
  const ca = options.ca === undefined ? null : authoritiesIn(resolve(context.cwd, options.ca));
  const progress = terminal.progress(message`Requesting ${new URL(base).host}`);
  const request = {
    service: base,
    url: registry.href,
    name,
    auth,
    headers,
    ca,
    machineCa: networkOf(env).machineCa ?? null,
    timeout: (options.timeout ?? 60) * 1000,
  };
  const response = await requestSubscription(request).finally(() => progress.stop());
  const check = await firstCheck(context, request, response);
  // A service may echo what it was sent.
  const conceal = redactor(secrets);
  const what = `${shown(redact(registry.href))} as “${shown(name)}”`;
  printResult<'subscribe'>(context, {
    pretty: () => (isSubscribed(response) ? conceal(describeSubscription(what, response, check)) : null),
    json: () => ({ registry: registry.href, name, ...response, check }),
    conceal: (text) => conceal(redact(text)),
  });
  const problem = isSubscribed(response)
    ? problemOfRegistry(check)
    : problemOfRequest(response, { url: registry.href, base, tokenEnv: options.tokenEnv });
  if (problem !== null) {
    const lines = [problem.message, ...problem.details].map((line) => message`${conceal(line)}`);
    terminal.error(joined(lines, '\n'), problem.hint ?? undefined);
    return 1;
  }
  terminal.next(
    message`the service checks it ${check?.checking ? 'now, then ' : ''}every hour; appreg diagnose ${shellWord(redact(registry.href))} shows what it finds`,
  );
  return 0;
}

/** Milliseconds between two requests for the state of the registry. */
const POLL_INTERVAL = 1000;

/** Waits for a registry that the service has accepted before it was checked; null if there is nothing to wait for. */
async function firstCheck(
  { terminal, env }: Context,
  { service, headers, ca, timeout }: Subscription,
  { status, body }: SubscriptionAnswer,
): Promise<FirstCheck | null> {
  const id = acceptedId(status, body);
  if (id === null) return null;
  const client = openServiceClient({ service, headers, http: { ...networkOf(env), ca }, timeout });
  const progress = terminal.progress(message`The service is reading the registry`);
  try {
    return await awaitFirstCheck(client, id, {
      timeout,
      interval: POLL_INTERVAL,
      onProgress: (text) => progress.update(() => message`${text}`),
    });
  } finally {
    progress.stop();
    await client.close();
  }
}

function isSubscribed({ outcome }: SubscriptionAnswer): boolean {
  return outcome === 'subscribed' || outcome === 'already-subscribed';
}

/** Values that the user gave, for messages. */
interface Given {
  /** The manifest. */
  url: string;
  /** The service, with a trailing slash. */
  base: string;
  tokenEnv: string | undefined;
}

/** The subscription that exists now, whether or not the registry can be used. */
function describeSubscription(what: string, { outcome }: SubscriptionAnswer, check: FirstCheck | null): string {
  if (outcome === 'already-subscribed') return `already subscribed to ${what}`;
  if (check === null || check.failing) return `subscribed to ${what}`;
  const { checking, apps, visible, errors } = check;
  if (checking) return `subscribed to ${what}; its first check has not finished yet`;
  const figures = [
    ...(apps === null ? [] : [counted(apps, 'app')]),
    ...(visible === null ? [] : [`${visible} can be installed`]),
    ...(errors ? [counted(errors, 'error')] : []),
  ];
  return `subscribed to ${what}${figures.length === 0 ? '' : `: ${figures.join(', ')}`}`;
}

/** Reason why a run fails. */
interface Problem {
  message: string;
  /** Lines that follow the message. */
  details: string[];
  hint: SafeText | null;
}

/** The reason why the registry cannot be used; null if it can, or if that is not known yet. */
function problemOfRegistry(check: FirstCheck | null): Problem | null {
  if (check?.failing !== true) return null;
  return {
    message: 'The registry cannot be used:',
    details: findingLines(check.findings),
    hint: message`The subscription is kept, and the service checks the registry again later.`,
  };
}

/** Explains the response of a service that did not subscribe the organization. */
function problemOfRequest({ outcome, status, body, text, intercepted }: SubscriptionAnswer, given: Given): Problem {
  if (intercepted !== null)
    return {
      message: `Not subscribed: ${shown(redact(given.base))} responds with ${status}: ${interceptionText(intercepted)}.`,
      details: [],
      hint: interceptionApiAdvice(intercepted),
    };
  if (outcome === 'web-page') {
    const url = shown(redact(`${given.base}api/registries/subscribe`));
    return {
      message: `Not subscribed: ${url} responds with ${status} and an HTML page, not with the service’s API.`,
      details: [],
      hint: message`Check --service and the credentials.`,
    };
  }
  const { title, detail, message: summary, error, errors, findings } = fieldsOf(body);
  const faults = faultsIn(errors);
  // The details of all fields together are those of the problem.
  const texts = [title, faults.length > 1 ? null : detail, summary, error].filter(
    (one): one is string => typeof one === 'string',
  );
  return {
    message: `Refused with status ${status}: ${shown(texts.join(': ') || text || 'no reason given')}`,
    details: [
      ...(faults.length > 1 ? faults.map((fault) => `  ${shown(fault)}`) : []),
      ...(Array.isArray(findings) ? findingLines(findings) : []),
    ],
    hint: hintFor(status, given),
  };
}

/** The faults of the fields of the request, as the service names them. */
function faultsIn(errors: unknown): string[] {
  return Array.isArray(errors)
    ? errors.map((one) => fieldsOf(one).detail).filter((detail) => typeof detail === 'string')
    : [];
}

/** The first findings, with their advice. */
function findingLines(findings: readonly unknown[]): string[] {
  const lines: string[] = [];
  for (const finding of findings.slice(0, 20)) {
    const { severity, message, advice, rule } = fieldsOf(finding);
    if (typeof message === 'string')
      lines.push(
        `  ${shown(String(severity ?? 'error'))}  ${shown(message)}${typeof rule === 'string' ? `  ${shown(rule)}` : ''}`,
      );
    if (typeof advice === 'string') lines.push(`    → ${shown(advice)}`);
  }
  return lines;
}

/** The fields that a service may describe a problem or a finding with; their types are unknown. */
type ProblemFields = Partial<
  Record<'title' | 'detail' | 'error' | 'errors' | 'message' | 'findings' | 'severity' | 'advice' | 'rule', unknown>
>;

function fieldsOf(value: unknown): ProblemFields {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Null if the reason that the service gives is all that is known. */
function hintFor(status: number, { url, tokenEnv }: Pick<Given, 'url' | 'tokenEnv'>): SafeText | null {
  if (status === 401 && tokenEnv !== undefined)
    return message`Check the value of ${shown(tokenEnv)}: the service does not know this token, or it was rotated or has expired.`;
  if (status === 403 && tokenEnv !== undefined)
    return message`Check the permissions of the token in ${shown(tokenEnv)}.`;
  if (status === 401 || status === 403)
    return message`Give credentials: --token-env <variable>, or --header-env <Name>=<variable>.`;
  if (status === 404 || status === 405)
    return message`Check --service: the request goes to <service>/api/registries/subscribe.`;
  if (status >= 300 && status < 400) return message`The service redirects to another URL: use that one as --service.`;
  if (status === 429) return message`Too many requests: try again later.`;
  if (status >= 500) return message`The service failed: check its logs.`;
  return status === 422 ? message`Check the registry: appreg verify ${shellWord(redact(url))}` : null;
}

function shown(text: string): string {
  return safeExcerpt(text, 400);
}
