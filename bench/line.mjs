// A proxy that adds latency: each chunk is forwarded half a round trip later, and each connection is delayed as well.
// Usage: node bench/line.mjs <target port> <milliseconds of a round trip>   prints the port to connect to
import { connect, createServer } from 'node:net';

const [targetPort, roundTrip] = process.argv.slice(2).map(Number);

/** Chunks arrive in order, since all are delayed equally. @param connectDelay milliseconds until the connection is open */
function forward(from, into, connectDelay) {
  let openAt = Date.now() + connectDelay;
  from.on('data', (chunk) => {
    const wait = Math.max(0, openAt - Date.now()) + roundTrip / 2;
    openAt = Math.max(openAt, Date.now());
    setTimeout(() => into.writable && into.write(chunk), wait);
  });
  from.on('end', () => setTimeout(() => into.end(), roundTrip / 2 + connectDelay));
  from.on('error', () => into.destroy());
}

const server = createServer((client) => {
  const target = connect(targetPort, '127.0.0.1');
  client.setNoDelay(true);
  target.setNoDelay(true);
  forward(client, target, roundTrip);
  forward(target, client, 0);
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
