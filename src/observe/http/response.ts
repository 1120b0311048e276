import type { Readable } from 'node:stream';

/** The result of a request, independent of the client. */
export interface ClientResponse {
  statusCode: number;
  /** Alternating names and values, as sent. */
  headers: readonly string[];
  body: ResponseBody;
  /** Whether “100 Continue” preceded it. */
  hasContinue: boolean;
}

/** Takes a chunk of a body. A promise applies backpressure; `false` aborts the body and the connection. */
export type ChunkConsumer = (chunk: Buffer) => Consumed | Promise<Consumed>;
export type Consumed = void | false;

export interface ResponseBody {
  /**
   * Passes the body on in chunks, once. Rejects if the body ends early; undefined if it was complete already.
   * @param instant whether `consume` has finished with a chunk when it returns; otherwise each chunk has its own memory
   */
  read(consume: ChunkConsumer, instant?: boolean): Promise<void> | undefined;
  /** Aborts the connection. */
  destroy(): void;
  /** Whether the connection can be reused after the end of the body. */
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
