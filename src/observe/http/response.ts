import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** The result of a request, independent of the client. */
export interface ClientResponse {
  statusCode: number;
  /** Alternating names and values, as sent. */
  headers: readonly string[];
  body: ResponseBody;
  /** True if “100 Continue” preceded it. */
  hasContinue: boolean;
}

/** Takes a chunk of a body. A promise applies backpressure; `false` aborts the body and the connection. */
type ChunkConsumer = (chunk: Buffer) => Consumed | Promise<Consumed>;
type Consumed = void | false;

interface ResponseBody {
  /** Passes the body on in chunks, once. Rejects if the body ends early; undefined if it was complete already. */
  read(consume: ChunkConsumer): Promise<void> | undefined;
  /** Aborts the connection. */
  destroy(): void;
  /** True if the connection can be reused after the end of the body. */
  reusable: boolean;
}

/** The body of a response of Node's own client, whose connection is used for this response only. */
export function responseBodyOf(stream: Readable & AsyncIterable<Buffer>): ResponseBody {
  return {
    reusable: false,
    async read(consume) {
      for await (const chunk of stream) if ((await consume(chunk)) === false) return;
    },
    destroy: () => void stream.on('error', () => {}).destroy(),
  };
}

/** The body of a response of undici, which adds the chunks as they arrive. */
export class BodyStream implements ResponseBody {
  readonly reusable = true;
  private readonly controller: Dispatcher.DispatchController;
  /** Data that arrives before a consumer exists is limited to what was already read from the socket. */
  private readonly waiting: Buffer[] = [];
  private consume: ChunkConsumer | null = null;
  private promise: { resolve(): void; reject(error: Error): void } | null = null;
  private ended: { failure: Error | null } | null = null;
  /** True while the consumer's promise is pending. */
  private isBusy = false;
  private isStopped = false;
  /** True once the rest of the body is in memory. */
  private hasRest = false;

  constructor(controller: Dispatcher.DispatchController) {
    this.controller = controller;
  }

  read(consume: ChunkConsumer): Promise<void> | undefined {
    this.consume = consume;
    this.passWaiting();
    if (this.isStopped || (this.ended && !this.ended.failure && !this.isBusy)) return undefined;
    return new Promise((resolve, reject) => {
      this.promise = { resolve, reject };
      this.passWaiting();
    });
  }

  destroy(): void {
    this.controller.abort(new Error('the reader stopped'));
  }

  add(chunk: Buffer): void {
    // After a pause the client's parser emits empty chunks for as long as they are answered with a pause.
    if (chunk.length === 0) return;
    this.waiting.push(chunk);
    this.passWaiting();
  }

  /**
   * Takes what was received and not parsed, also while the consumer is busy: the host has closed the connection, and the
   * client's parser fails an assertion if it is paused then (https://github.com/nodejs/undici/issues/5360).
   */
  takeRest(): void {
    this.hasRest = true;
    this.controller.resume();
  }

  /** @param failure why the body is incomplete, or null */
  end(failure: Error | null): void {
    this.ended = { failure };
    this.passWaiting();
  }

  private passWaiting(): void {
    while (this.consume !== null && !this.isBusy) {
      const chunk = this.waiting.shift();
      if (chunk === undefined) break;
      this.pass(chunk, this.consume);
    }
    if (this.promise && this.ended && !this.isBusy) this.settle(this.ended.failure);
  }

  private pass(chunk: Buffer, consume: ChunkConsumer): void {
    const consumed = consume(chunk);
    if (consumed === false) this.stop();
    else if (consumed !== undefined) this.pauseUntil(consumed);
  }

  private pauseUntil(consumed: Promise<Consumed>): void {
    this.isBusy = true;
    if (!this.hasRest) this.controller.pause();
    consumed.then(
      (result) => {
        this.isBusy = false;
        if (result === false) return this.stop();
        this.passWaiting();
        if (!this.isBusy) this.controller.resume();
      },
      (error: Error) => {
        this.settle(error);
        this.controller.abort(error);
      },
    );
  }

  private stop(): void {
    this.isStopped = true;
    this.settle(null);
    this.controller.abort(new Error('the reader stopped'));
  }

  private settle(failure: Error | null): void {
    this.consume = null;
    this.waiting.length = 0;
    if (failure) this.promise?.reject(failure);
    else this.promise?.resolve();
    this.promise = null;
  }
}
