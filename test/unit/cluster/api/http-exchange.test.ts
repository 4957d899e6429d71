import { getEventListeners, once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { bodyText, HttpConnections, type HttpCall } from '../../../../operator/cluster/api/http-exchange';

const LOGIN = { headers: {}, tls: {} };
const DATA = 'x'.repeat(100);

const connections = new HttpConnections();
const servers: Server[] = [];

afterEach(async () => {
  const ended = servers.splice(0).map(async (server) => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  await Promise.all(ended);
});

afterAll(() => {
  connections.close();
});

async function callOf(answer: RequestListener, host = '127.0.0.1'): Promise<HttpCall> {
  const server = createServer(answer).listen(0, host);
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const at = host.includes(':') ? `[${host}]` : host;
  const { signal } = new AbortController();
  return { method: 'GET', server: new URL(`http://${at}:${port}`), path: '/a?b=c', headers: {}, signal, watch: false };
}

describe('HttpConnections', () => {
  test('reaches a server by its IPv6 address', async () => {
    const call = await callOf(
      (request, response) => response.end(`${request.headers.host ?? ''}${request.url ?? ''}`),
      '::1',
    );

    expect(await bodyText(await connections.send(call, LOGIN))).toBe(`${call.server.host}/a?b=c`);
  });

  test('lets go of the signal when the request is over', async () => {
    const call = await callOf((_request, response) => response.end(DATA));
    const message = await connections.send(call, LOGIN);
    const during = getEventListeners(call.signal, 'abort').length;
    await bodyText(message);
    // the request is closed in the turn after the end of its answer
    await setImmediate();

    expect([during, getEventListeners(call.signal, 'abort').length]).toEqual([1, 0]);
  });

  test('fails with the code of the network where a body breaks off', async () => {
    const call = await callOf((_request, response) => {
      response.writeHead(200, { 'content-length': DATA.length + 1 });
      response.write(DATA, () => response.destroy());
    });
    const body = connections.send(call, LOGIN).then(bodyText);

    await expect(body).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
