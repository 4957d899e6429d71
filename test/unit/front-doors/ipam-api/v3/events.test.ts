import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { FreedEvents, MOST_STREAMS } from '../../../../../operator/front-doors/ipam-api/v3/events';
import { EventStream, freedIn, lastIdOf } from '../../../../support/event-stream';
import { granted, LedgerWorld, askByApi, claimant } from '../../../../support/ledger-world';
import { settled } from '../../../../support/settled';
import { startV3, type V3Server } from '../../../../support/remote-book';
import { V3World } from '../../../../support/v3-world';

describe('events of version 3', () => {
  const world = new LedgerWorld();
  let v3: V3Server;
  beforeAll(async () => {
    v3 = await startV3(world);
  });
  const free = async (at: string): Promise<void> => {
    await world.book.undo(granted(await world.book.reserve(askByApi(claimant('a/web'), { at }))));
  };

  test('tell each freed address, and after a break those that were missed, each once', async () => {
    const first = await EventStream.open(v3);
    await first.until('event: ready');
    await free('192.0.2.1');
    const seen = await first.until('192.0.2.1');
    first.close();
    await free('192.0.2.2');
    const second = await EventStream.open(v3, lastIdOf(seen));
    await free('192.0.2.3');
    const text = await second.until('192.0.2.3');
    second.close();
    expect(freedIn(text)).toEqual(['192.0.2.2', '192.0.2.3']);
  });

  test('say that what was missed is unknown where the id is of another process or too old', async () => {
    const stream = await EventStream.open(v3, '1-1');
    expect(await stream.until('\n\n')).toContain('event: reset');
    stream.close();
  });

  test('are refused to a client that has as many as it may, until one of them ends', async () => {
    const open = () => EventStream.open(v3);
    const streams = await Promise.all(Array.from({ length: MOST_STREAMS.ofClient }, open));
    const refused = await open();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    expect(await refused.ended()).toContain('api/too-many-streams');
    for (const stream of streams) stream.close();
    let next = await open();
    while (next.status !== 200) next = await open();
    expect(await next.until('event: ready')).toContain('id: ');
    next.close();
  });

  test('are refused to everybody while the server has as many as it serves', () => {
    const { book, registry, zones, clock } = world;
    const parts = { book, registry, zones, clock, logger: v3.logger, meter: v3.meter, deadlineSeconds: 10 };
    const events = new FreedEvents(parts);
    const answers = Array.from(
      { length: MOST_STREAMS.ofAll },
      () => new ServerResponse(new IncomingMessage(new Socket())),
    );
    for (const [index, answer] of answers.entries())
      events.follow(answer, { name: `client-${index}`, mayListen: () => true });
    expect(events.refusal('another')).toMatchObject({ code: 'api/streams-full', retryAfterSeconds: 30 });
    answers[0]?.emit('close');
    expect(events.refusal('another')).toBeUndefined();
    events.close();
  });

  test('end once the login of their client is withdrawn, and tell nothing more in between', async () => {
    const own = new V3World();
    const { book, clock } = own.ledger;
    const stream = own.send('GET', '/v3/clusters/c1/events', { as: 'c1' });
    const others = own.send('GET', '/v3/clusters/c2/events', { as: 'c2' });
    await settled();
    const freeOwn = async (at: string): Promise<void> => {
      await book.undo(granted(await book.reserve(askByApi(claimant('a/web'), { at }))));
      await settled();
    };
    await freeOwn('192.0.2.1');
    own.clients = own.clients.filter(({ name }) => name !== 'c1');
    await freeOwn('192.0.2.2');
    expect(freedIn((await stream).text)).toEqual(['192.0.2.1']);
    own.clients = own.clients.map((each) => ({ ...each, clusterUids: ['c3'] }));
    clock.advance(1_000);
    expect(freedIn((await others).text)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  test('end with the server, which does not wait for their clients', async () => {
    const stream = await EventStream.open(v3);
    await stream.until('event: ready');
    await Promise.all([v3.server.close(), stream.ended()]);
    expect(stream.text).toContain('event: ready');
  });
});
