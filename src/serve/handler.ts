import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { corsHeaders } from './cross-origin.ts';
import { respond, textResponse, type FileResponse, type Site } from './respond.ts';

/** One request and its outcome, for the log. */
export interface Served {
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /** Why the response was not sent completely: the client disconnected, the file changed, a bug; otherwise null. */
  error: Error | null;
}

/** The request handler of a site. It never throws because of a client or the file system. */
export function handler(
  site: Site,
  served: (line: Served) => void,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    const began = performance.now();
    const { method = '', url: target = '' } = req;
    let error: Error | null;
    try {
      error = await serve(site, req, res);
    } catch (fault) {
      // The sent Content-Length cannot be fulfilled, so the connection is destroyed to signal the error.
      res.destroy();
      error = fault instanceof Error ? fault : new Error(String(fault));
    }
    served({ method, target, status: res.statusCode, milliseconds: performance.now() - began, error });
  };
}

/** Returns the server-side error if a response was sent nevertheless. */
async function serve(site: Site, req: IncomingMessage, res: ServerResponse): Promise<Error | null> {
  let fault: Error | null = null;
  const { method = '', url: target = '', headers } = req;
  const response = await respond(site, { method, target, headers }).catch((error: NodeJS.ErrnoException) => {
    fault = error;
    return refusal(error, corsHeaders(site.serviceOrigins, headers.origin));
  });
  try {
    await send(response, req, res);
  } finally {
    await response.release();
  }
  return fault;
}

function refusal(error: NodeJS.ErrnoException, headers: Record<string, string>): FileResponse {
  if (error.code === 'EACCES' || error.code === 'EPERM') return textResponse(403, 'The file cannot be read.', headers);
  if (error.code === 'EMFILE' || error.code === 'ENFILE') {
    return textResponse(503, 'Too many open files; try again.', { ...headers, 'Retry-After': '1' });
  }
  return textResponse(500, 'Internal error; see the log of the server.', headers);
}

async function send(response: FileResponse, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { status, headers, body } = response;
  // Do not wait for a request body that is not read.
  if (status === 405) headers['Connection'] = 'close';
  res.writeHead(status, headers);
  if (req.method === 'HEAD') {
    res.end();
  } else if (body instanceof Uint8Array) {
    res.end(body);
  } else {
    await pipeline(body, res);
  }
}
