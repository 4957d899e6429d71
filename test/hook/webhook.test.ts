import { ADMISSION_BODY_BYTES } from '../../operator/contract/group';
import { DoorWorld, patchedObject } from '../support/door-world';
import { patchOf, review, service } from '../support/review-builder';
import { settled, wrapped } from '../support/wrapped-book';
import { liveServices } from '../support/ledger-world';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';

describe('the answer of a review', () => {
  test('repeats the UID and carries a base64 JSON Patch that touches annotations only (SVC-07)', async () => {
    const spec = {
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30272,
      ports: [{ port: 80, nodePort: 31001 }],
    };
    const answer = await new DoorWorld().mutate({ object: service({ keep: 'x' }, spec), uid: 'r-77' });

    expect(answer).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'r-77', allowed: true, patchType: 'JSONPatch' },
    });
    expect(patchOf(answer).every(({ path }) => path.startsWith('/metadata/annotations'))).toBe(true);
    expect(patchedObject(service({ keep: 'x' }, spec), answer).spec).toEqual(service({}, spec).spec);
  });

  test.each([
    { what: '(a) no annotations', annotations: undefined },
    { what: '(b) an empty map', annotations: {} },
    { what: '(c) a key of somebody else', annotations: { keep: 'x', 'odd~key/with': 'y' } },
    { what: '(d) null', annotations: null },
  ])('WH-09 gives our keys to a Service with $what', async ({ annotations }) => {
    const object = service(annotations);
    const answer = await new DoorWorld().mutate({ object });

    expect(patchedObject(object, answer).metadata.annotations).toMatchObject({
      ...annotations,
      [LB_IPS]: '10.0.0.0',
      [POOL]: 'hnet-private',
    });
  });

  test('has no patch field when nothing changes', async () => {
    const world = new DoorWorld();
    const { stored } = await world.create(service());
    const answer = await world.mutate({ operation: 'UPDATE', object: stored, oldObject: stored });

    expect(answer.response).toEqual({ uid: answer.response.uid, allowed: true });
  });

  test('carries code, reason and message of the catalogue when denied, and is counted', async () => {
    const world = new DoorWorld();
    const answer = await world.mutate({ object: service({ [ZONE]: 'moon' }) });

    expect(answer.response).toMatchObject({ allowed: false, status: { code: 400, reason: 'UnknownZone' } });
    expect(world.meter.of('admission_requests_total')).toMatchObject([
      {
        labels: { path: '/mutate--v1-service', operation: 'CREATE', verdict: 'denied', reason: 'UnknownZone' },
        value: 1,
      },
    ]);
    expect(world.logger.lines.at(-1)?.fields).toMatchObject({ namespace: 'a', name: 'web', code: 'zone/unknown' });
  });

  test.each([
    ['text that is not JSON', 'nonsense', 400],
    ['another kind', JSON.stringify({ kind: 'Pod', apiVersion: 'v1' }), 400],
    ['no request', JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }), 400],
    ['an old version', JSON.stringify({ ...review({}), apiVersion: 'admission.k8s.io/v1beta1' }), 400],
    ['more than 8 MiB', JSON.stringify({ pad: 'x'.repeat(8 * 1024 * 1024) }), 413],
  ])('is HTTP and JSON for a body with %s', async (_what, payload, status) => {
    const world = new DoorWorld();
    const headers = { 'content-type': 'application/json' };
    const response = await world.app.inject({ method: 'POST', url: '/mutate--v1-service', payload, headers });

    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ code: status === 413 ? 'api/too-large' : 'api/malformed' });
  });

  test.each([
    { what: 'a media type that is none', type: 'garbage', status: 415, code: 'api/unsupported-media-type' },
    { what: 'no body', body: '', status: 400, code: 'api/malformed' },
    { what: 'a list', body: '[]', status: 400, code: 'api/malformed' },
    { what: 'more than 8 MiB', body: 'x'.repeat(ADMISSION_BODY_BYTES + 1), status: 413, code: 'api/too-large' },
  ])('has one shape of error, a sentence and a code, for $what', async ({ body = '{}', status, code, ...more }) => {
    const world = new DoorWorld();
    const headers = { 'content-type': more.type ?? 'application/json' };
    const request = { method: 'POST', url: '/validate--v1-service', payload: body, headers } as const;
    const response = await world.app.inject(request);

    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ code, message: expect.any(String) as string });
  });

  test.each([
    { what: 'more than 8 MiB', body: 'x'.repeat(ADMISSION_BODY_BYTES + 1), status: 413, reason: 'TooLarge' },
    { what: 'what is no JSON', body: 'secret-looking', status: 400, reason: 'BadRequest' },
    { what: 'what is no review', body: '{"kind":"secret-looking"}', status: 400, reason: 'BadRequest' },
  ])('FU-27 counts and logs $what, and says nothing of it', async ({ body: payload, status, reason }) => {
    const world = new DoorWorld();
    const path = '/validate--v1-service';
    const headers = { 'content-type': 'application/json' };
    await world.app.inject({ method: 'POST', url: path, payload, headers });

    expect(world.meter.of('admission_requests_total')).toMatchObject([
      { labels: { path, operation: 'UNREAD', verdict: 'denied', reason }, value: 1 },
    ]);
    expect(world.meter.of('refusals_total')).toMatchObject([{ labels: { reason }, value: 1 }]);
    expect(world.logger.lines).toMatchObject([
      { level: 'warn', message: 'review refused unread', fields: { path, status } },
    ]);
    expect(world.logger.text).not.toContain('secret-looking');
  });

  test('takes a body of 7 MiB and keys that a framework might guard against', async () => {
    const object = service({ filler: 'x'.repeat(7 * 1024 * 1024), constructor: 'y' });
    const answer = await new DoorWorld().mutate({ object });

    expect(answer.response.allowed).toBe(true);
  });

  test('tells nothing of an internal fault, and the next Service is served', async () => {
    let broken = true;
    const world = new DoorWorld({
      wrapBook: wrapped((book) => ({
        reserve: (request) => {
          if (!broken) return book.reserve(request);
          broken = false;
          throw new TypeError('secret-looking text of a bug');
        },
      })),
    });
    const bad = await world.create(service());
    const good = await world.create(service({}, {}, { name: 'api' }));

    expect(bad.denied).toEqual({
      code: 500,
      reason: 'Internal',
      message: 'internal error; see the log of the operator',
    });
    expect(world.logger.text).not.toContain('secret-looking');
    expect(good.stored).toBeDefined();
  });
});

describe('calls that change nothing', () => {
  test('WH-05 a thousand dry runs take nothing, and a dry flip releases nothing', async () => {
    const world = new DoorWorld();
    for (let i = 0; i < 1000; i += 1) {
      const answer = await world.mutate({ object: service(), dryRun: true });
      expect(answer.response.allowed).toBe(true);
      expect(JSON.stringify(patchOf(answer))).not.toContain('10.0.0');
    }
    expect(world.store.writes).toBe(0);
    const { stored } = await world.create(service());
    const writes = world.store.writes;
    const flipped = { ...structuredClone(stored), spec: { ...stored?.spec, type: 'ClusterIP' } };
    const flip = { operation: 'UPDATE' as const, object: flipped, oldObject: stored, dryRun: true };
    const answers = [await world.mutate(flip), await world.validate(flip)];

    expect(answers.every(({ response }) => response.allowed)).toBe(true);
    expect(world.store.writes).toBe(writes);
    expect(await world.held()).toBe(1);
  });

  test('a dry run passes the validating webhook although it has no address', async () => {
    const object = service({ [POOL]: 'hnet-private' });
    const answer = await new DoorWorld().validate({ object, dryRun: true });

    expect(answer.response.allowed).toBe(true);
  });

  test('a dying object passes, so that finalizers can go', async () => {
    const world = new DoorWorld();
    const object = service({ [ADDRESSES]: 'nonsense' }, {}, { deletionTimestamp: '2026-11-27T00:00:00Z' });
    const asked = {
      operation: 'UPDATE' as const,
      object,
      oldObject: service({ [ADDRESSES]: 'nonsense' }, {}, { finalizers: ['x'] }),
    };

    expect((await world.mutate(asked)).response.allowed).toBe(true);
    expect((await world.validate(asked)).response.allowed).toBe(true);
    expect(world.calls).toEqual([]);
  });

  test('an update of managedFields alone passes without a call', async () => {
    const world = new DoorWorld();
    const { stored } = await world.create(service());
    world.calls.length = 0;
    const object = structuredClone(stored);
    if (object !== undefined) object.metadata['managedFields'] = [{ manager: 'kubectl' }];
    const asked = { operation: 'UPDATE' as const, object, oldObject: stored };

    expect((await world.mutate(asked)).response).toMatchObject({ allowed: true });
    expect((await world.validate(asked)).response).toMatchObject({ allowed: true });
    expect(world.calls).toEqual([]);
  });

  test.each([
    ['DELETE', { operation: 'DELETE' as const, oldObject: service() }],
    ['CONNECT', { operation: 'CONNECT' as const, object: { kind: 'ServiceProxyOptions' } }],
    ['null metadata', { object: { metadata: null, spec: { type: 'LoadBalancer' } } }],
  ])('%s passes', async (_what, asked) => {
    const world = new DoorWorld();

    expect((await world.mutate(asked)).response.allowed).toBe(true);
    expect((await world.validate(asked)).response.allowed).toBe(true);
  });
});

describe('calls that come again', () => {
  test('WH-04 a second call with another UID, a label and our keys answers without a patch', async () => {
    const world = new DoorWorld();
    const object = service();
    const first = await world.mutate({ object, uid: 'r1' });
    const seen = patchedObject(object, first);
    seen.metadata['labels'] = { by: 'another webhook' };
    const second = await world.mutate({ object: seen, uid: 'r2' });

    expect(second.response).toEqual({ uid: 'r2', allowed: true });
    expect(await world.held()).toBe(1);
  });

  test('WH-04 six racing calls of three PATCHes reserve one address', async () => {
    const world = new DoorWorld();
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.mutate({ object: service() })));

    expect(new Set(answers.map((answer) => JSON.stringify(patchOf(answer)))).size).toBe(1);
    expect(await world.held()).toBe(1);
  });

  test('WH-07 three hundred refused tries leave a /24 usable and come back after the lease', async () => {
    const world = new DoorWorld();
    const answers = Array.from({ length: 300 }, (_, i) => world.mutate({ object: service({}, {}, { name: `s${i}` }) }));
    await settled();
    world.clock.advance(8_000);
    const allowed = (await Promise.all(answers)).filter(({ response }) => response.allowed);
    const denied = (await Promise.all(answers)).find(({ response }) => !response.allowed);
    const neighbour = await world.create(service({}, {}, { name: 'web', namespace: 'b' }));
    world.clock.advance(301_000);
    await world.book.sweep({
      clusterUid: await world.cluster.clusterUid(),
      startedMs: world.clock.nowMs(),
      live: liveServices(),
    });

    expect(allowed).toHaveLength(64);
    expect(denied?.response.status).toMatchObject({ code: 429, reason: 'TooManyReservations' });
    expect(neighbour.stored).toBeDefined();
    expect(await world.held()).toBe(0);
  });

  test('WH-07 a CREATE of an existing name leaves the existing Service its address', async () => {
    const world = new DoorWorld();
    await world.create(service());
    await world.bind('web');
    await world.mutate({ object: service() });

    expect(await world.held()).toBe(1);
    expect((await world.put('web', {})).stored?.metadata.annotations?.[LB_IPS]).toBe('10.0.0.0');
  });

  test('waits inside its deadline for room among the reservations of the namespace', async () => {
    const world = new DoorWorld({ maxReservedInNamespace: 1 });
    await world.create(service());
    const waiting = world.create(service({}, {}, { name: 'second' }));
    await settled();
    await world.bind('web');
    world.clock.advance(250);

    expect((await waiting).stored?.metadata.annotations?.[LB_IPS]).toBe('10.0.0.1');
  });
});
