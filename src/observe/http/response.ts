import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Deadline } from './deadlines.ts';
import type { PooledConnection } from './pool.ts';
import { isBorrowed } from './read-buffer.ts';

/** The result of a request, independent of the client. */
export interface ClientResponse {
  statusCode: number;
  /** Alternating names and values, as sent. */
  headers: readonly string[];
  body: ResponseBody;
  /** Whether “100 Continue” preceded it. */
  continued: boolean;
}

export interface ResponseBody {
  /**
   * Passes the body on in chunks, once. A promise applies backpressure; `false` aborts the body and the connection.
   * Rejects if the body ends early; undefined if it was complete already.
   * @param instant whether `take` has finished with a chunk when it returns; otherwise each chunk has its own memory
   */
  pass(take: (chunk: Buffer) => Taken | Promise<Taken>, instant?: boolean): Promise<void> | undefined;
  /** Aborts the connection. */
  destroy(): void;
  /** Whether the connection can be reused after the end of the body. */
  reusable: boolean;
}
type Taken = void | false;

/**
 * Sends one request. It avoids the streams of undici's `request`, which cost as much as hashing their content. Rejects
 * with the client's errors, or with the reason why the deadline ended.
 */
export function send(
  pooled: PooledConnection,
  options: Dispatcher.DispatchOptions,
  deadline: Deadline,
): Promise<ClientResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let body: Passing | null = null;
    const lend = (lends: boolean): void => {
      if (pooled.connection?.reading) pooled.connection.reading.isLending = lends;
    };
    deadline.onEnd(() => controller?.abort(deadline.ended!));
    pooled.client.dispatch(options, {
      onRequestStart(made) {
        controller = made;
        pooled.host.window.write(pooled.sent);
        if (deadline.ended) made.abort(deadline.ended);
      },
      onResponseStart(made, statusCode) {
        if (statusCode < 200) return;
        body = passing(made);
        lend(true);
        const headers = [...((made.rawHeaders ?? []) as Iterable<Buffer>)].map(String);
        resolve({ statusCode, headers, body, continued: false });
      },
      onResponseData(_, chunk) {
        body!.add(chunk);
      },
      onResponseEnd() {
        deadline.onEnd(null);
        lend(false);
        body!.end(null);
      },
      onResponseError(_, error) {
        deadline.onEnd(null);
        lend(false);
        if (body) body.end(error);
        else reject(error);
      },
    });
  });
}

interface Passing extends ResponseBody {
  add(chunk: Buffer): void;
  end(failure: Error | null): void;
}

function passing(controller: Dispatcher.DispatchController): Passing {
  // Data that arrives before a consumer exists is limited to what was already read from the socket.
  const waiting: Buffer[] = [];
  let take: Parameters<ResponseBody['pass']>[0] | null = null;
  let isInstant = false;
  let settle: { resolve(): void; reject(error: Error): void } | null = null;
  let ended: { failure: Error | null } | null = null;
  let busy = false;
  let stopped = false;

  function isOpen(): boolean {
    return take !== null && !busy && waiting.length > 0;
  }

  /**
   * Passes a chunk on.
   * @returns whether another one may follow at once
   */
  function hand(chunk: Buffer): boolean {
    const taken = take!(chunk);
    if (taken === undefined) return true;
    if (taken === false) stop();
    else hold(taken);
    return false;
  }

  function finish(failure: Error | null): void {
    take = null;
    waiting.length = 0;
    if (failure) settle?.reject(failure);
    else settle?.resolve();
    settle = null;
  }

  function stop(): void {
    stopped = true;
    finish(null);
    controller.abort(new Error('broken off'));
  }

  function hold(taken: Promise<Taken>): void {
    busy = true;
    controller.pause();
    taken.then(
      (after) => {
        busy = false;
        if (after === false) return stop();
        more();
        if (!busy) controller.resume();
      },
      (error: Error) => {
        finish(error);
        controller.abort(error);
      },
    );
  }

  function more(): void {
    while (isOpen()) hand(waiting.shift()!);
    if (settle && ended && !busy) finish(ended.failure);
  }

  return {
    reusable: true,
    pass(taker, instant = false) {
      take = taker;
      isInstant = instant;
      more();
      if (stopped || (ended && !ended.failure && !busy)) return undefined;
      return new Promise((resolve, reject) => {
        settle = { resolve, reject };
        more();
      });
    },
    destroy: () => controller.abort(new Error('broken off')),
    add(chunk) {
      // After a pause the client's parser emits empty chunks for as long as they are answered with a pause.
      if (chunk.length === 0) return;
      if (isInstant && take !== null && !busy && waiting.length === 0) return void hand(chunk);
      waiting.push(isBorrowed(chunk) ? Buffer.from(chunk) : chunk);
      more();
    },
    end(failure) {
      ended = { failure };
      more();
    },
  };
}

/** The body of a response of Node's own client, whose connection is used for this response only. */
export function bodyOf(stream: Readable): ResponseBody {
  return {
    reusable: false,
    async pass(take) {
      for await (const chunk of stream as AsyncIterable<Buffer>) if ((await take(chunk)) === false) return;
    },
    destroy: () => void stream.on('error', () => {}).destroy(),
  };
}
