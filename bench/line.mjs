// A proxy that adds latency: each chunk is forwarded half a round trip later, and each connection is delayed as well.
// Usage: node bench/line.mjs <target port> <milliseconds of a round trip>   prints the port to connect to
import { connect, createServer } from 'node:net';

const [to, roundTrip] = process.argv.slice(2).map(Number);

/** Chunks arrive in order, since all are delayed equally. */
function pass(from, into, first) {
  let open = Date.now() + first;
  from.on('data', (chunk) => {
    const wait = Math.max(0, open - Date.now()) + roundTrip / 2;
    open = Math.max(open, Date.now());
    setTimeout(() => into.writable && into.write(chunk), wait);
  });
  from.on('end', () => setTimeout(() => into.end(), roundTrip / 2 + first));
  from.on('error', () => into.destroy());
}

const server = createServer((near) => {
  const far = connect(to, '127.0.0.1');
  near.setNoDelay(true);
  far.setNoDelay(true);
  pass(near, far, roundTrip);
  pass(far, near, 0);
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
