import {
  type Conditional,
  isMissing,
  type Missing,
  type Probe,
  type RepeatedProbe,
  type ResourceKind,
  type SideProbe,
} from '../../core/facts/facts.ts';
import { blockedBy } from '../../core/facts/missing.ts';
import { notRequested } from '../../core/http/probe.ts';
import type { Attempts } from '../http/attempts.ts';
import type { BrowserGet } from './browser-get.ts';
import type { Views } from './cache.ts';
import { repeat, type SentRequest } from './confirm.ts';
import type { ObserveContext } from './context.ts';

/** Sends the requests of a list of probes for one resource. */

/** The resource, as its probes read it. */
export interface Subject {
  /** The response to the plain GET, with at least one hop. */
  server: Probe;
  /** The browser's GET from the first page. */
  get: BrowserGet;
  /** The response to that; null until it is known. */
  browser: Probe | Missing | null;
  /** The digest of a document as the host sent it; null if nothing is compared with it. */
  sha256: string | null;
}

/** A request beside the plain GET of a resource. */
export interface SideRequest {
  /** The host of this URL gets it. */
  url: string;
  send(attempts: Attempts): Promise<Probe>;
  /** Sent in its place if the host never answers it. */
  instead?: SideRequest;
  /** The condition that it is sent with. */
  condition?: Pick<Conditional, 'condition' | 'fabricated'>;
  /** True if the body equals that of the plain GET; null if none was received. */
  hasSameBytes?(): boolean | null;
}

/** Of one request: the response, or why there is none. */
export interface Answer {
  request: SideRequest | null;
  probe: Probe | Missing;
}

/** Requests of one kind, and the facts that are read from their responses. */
export interface ViewProbe {
  /** Absent: all kinds. */
  on?: readonly ResourceKind[];
  /** The resources that it is sent for: each, a sample (sample.ts), or the first of its kind and hosts. */
  share: 'each' | 'sample' | 'first';
  /** Sent once the browser's GET was answered; absent: at once, which saves a round trip. */
  after?: 'browser';
  attempts: Attempts;
  /** The kind under which it is repeated. */
  of?: SideProbe;
  /** Present: repeated in rounds if it is refused (confirm.ts). */
  refused?: 'repeat';
  /** The rule that reports a host that never answers it. It is not sent to such a host. */
  unanswered?: string;
  /** Absent: always. */
  when?(subject: Subject, context: ObserveContext): boolean;
  /** A missing fact stands in for the response to a request that browsers do not send. */
  request(subject: Subject, context: ObserveContext): readonly (SideRequest | Missing)[];
  fact(answers: readonly Answer[]): Partial<Views>;
}

/** The result of a list of probes. */
export interface Outcome {
  facts: Partial<Views>;
  /** The requests that are repeated if they were refused. */
  sent: SentRequest[];
  /** The repetitions because of which another request was sent instead. */
  repeated: RepeatedProbe[];
}

type Sent = Answer & Pick<Outcome, 'repeated'>;

/** A probe, and its requests that are in flight. */
interface Started {
  probe: ViewProbe;
  answers: Promise<Sent>[];
}

/** Sends the requests of those probes that are due, as many at once as possible. */
export async function runProbes(
  list: readonly ViewProbe[],
  subject: Subject,
  context: ObserveContext,
): Promise<Outcome> {
  const { server, get } = subject;
  const { hosts } = context;
  const listed = (share: ViewProbe['share'], after?: 'browser'): ViewProbe[] =>
    list.filter((probe) => probe.share === share && probe.after === after && (probe.on?.includes(get.kind) ?? true));
  const start = (probes: readonly ViewProbe[], about = subject): Started[] =>
    probes
      .filter(({ when }) => when?.(about, context) ?? true)
      .map((probe) => ({
        probe,
        answers: probe.request(about, context).map((request) => ask(probe, request, get, context)),
      }));
  const each = start(listed('each'));
  const startLater = async (probes: readonly ViewProbe[]): Promise<Outcome> => {
    const browser = (await each[0]?.answers[0])?.probe ?? null;
    return finish(start(probes, { ...subject, browser }));
  };
  const outcomes: Promise<Outcome | null>[] = [finish(each)];
  const sample = listed('sample');
  if (sample.length > 0) outcomes.push(hosts.sample.take(get.kind, server, () => finish(start(sample))));
  const first = listed('first');
  const later = listed('first', 'browser');
  if (first.length + later.length > 0 && hosts.claim(get.key)) outcomes.push(finish(start(first)), startLater(later));
  return join((await Promise.all(outcomes)).filter((outcome) => outcome !== null));
}

async function ask(
  { of, unanswered, attempts }: ViewProbe,
  request: SideRequest | Missing,
  get: BrowserGet,
  context: ObserveContext,
): Promise<Sent> {
  if (isMissing(request)) return { request: null, probe: request, repeated: [] };
  const { instead } = request;
  if (of === undefined || unanswered === undefined) return answerOf(request, await request.send(attempts));
  if (await context.hosts.neverAnswers(of, request.url))
    return instead
      ? answerOf(instead, await instead.send('once'))
      : { request: null, probe: { ...blockedBy(unanswered), intentional: true }, repeated: [] };
  const first = await request.send(attempts);
  if (!instead || first.failure === null) return answerOf(request, first);
  const repeated = await repeat({ of, probe: first, again: () => request.send('repeat') }, get, context);
  const other = repeated && (await instead.send(attempts));
  return repeated && other?.failure === null
    ? { ...answerOf(instead, other), repeated: [repeated] }
    : answerOf(request, first);
}

function answerOf(request: SideRequest, probe: Probe): Sent {
  return { request, probe: notRequested(probe) ?? probe, repeated: [] };
}

/** Waits for the responses, and reads the facts from them. */
async function finish(started: readonly Started[]): Promise<Outcome> {
  return join(
    await Promise.all(
      started.map(async ({ probe: { of, refused, fact }, answers }): Promise<Outcome> => {
        const all = await Promise.all(answers);
        const sent = all.flatMap(({ request, probe }): SentRequest[] =>
          of === undefined || refused === undefined || request === null || isMissing(probe)
            ? []
            : [{ of, probe, again: () => request.send('repeat') }],
        );
        return { facts: fact(all), sent, repeated: all.flatMap(({ repeated }) => repeated) };
      }),
    ),
  );
}

function join(outcomes: readonly Outcome[]): Outcome {
  return {
    facts: outcomes.reduce<Partial<Views>>((all, { facts }) => Object.assign(all, facts), {}),
    sent: outcomes.flatMap(({ sent }) => sent),
    repeated: outcomes.flatMap(({ repeated }) => repeated),
  };
}
