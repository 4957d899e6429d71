import { LedgerWorld } from '../../../../support/ledger-world';
import { claimBody, V3World } from '../../../../support/v3-world';

const KEYED = '/v3/clusters/c1/claims/k';

describe('claims of version 3', () => {
  test('are made once under a key, shown with their version, and released as often as one asks', async () => {
    const world = new V3World();
    const made = await world.send('PUT', KEYED, { body: claimBody() });
    expect(made).toMatchObject({
      status: 201,
      json: { key: 'k', created: true, address: '192.0.2.0', state: 'bound' },
    });
    expect(made.headers['location']).toBe(KEYED);
    expect(await world.send('PUT', KEYED, { body: claimBody() })).toMatchObject({
      status: 200,
      json: { created: false },
    });
    const shown = await world.send('GET', KEYED);
    expect(shown.headers['etag']).toBe(`"${String(shown.json['version'])}"`);
    expect(shown.text).not.toContain('secret');
    expect((await world.send('DELETE', KEYED)).json).toEqual({ released: ['192.0.2.0'] });
    expect((await world.send('DELETE', KEYED)).json).toEqual({ released: [] });
    expect(await world.send('GET', KEYED)).toMatchObject({ status: 404, json: { code: 'claim/not-found' } });
    expect((await world.ledger.record('192.0.2.0'))?.state).toBe('quarantined');
  });

  test.each([
    ['claimant.serviceName', 'db', claimBody({}, { serviceName: 'db' })],
    ['zone', 'y', claimBody({ zone: 'y' })],
    ['family', 'ipv6', claimBody({ family: 'ipv6' })],
    ['address', '192.0.2.9', claimBody({ address: '192.0.2.9' })],
  ])('keep their key from another wish: %s "%s" is a conflict', async (field, value, body) => {
    const zones = [
      { name: 'z', prefixes: ['192.0.2.0/24', '2001:db8::/120'] },
      { name: 'y', prefixes: ['10.0.0.0/8'] },
    ];
    const world = new V3World({ ledger: new LedgerWorld(zones) });
    await world.send('PUT', KEYED, { body: claimBody() });
    const answer = await world.send('PUT', KEYED, { body });
    expect(answer).toMatchObject({ status: 409, json: { code: 'claim/key-used', field, value } });
    expect(answer.json['detail']).toContain('"a/web"');
    expect((await world.send('GET', KEYED)).json).toMatchObject({ zone: 'z', address: '192.0.2.0' });
    const same = await world.send('PUT', KEYED, { body: claimBody({ address: '192.0.2.0' }) });
    expect(same).toMatchObject({ status: 200, json: { created: false } });
  });

  test.each(['PUT', 'POST'])(
    'that are owned at once by %s belong to the stored Service that was named',
    async (method) => {
      const world = new V3World();
      const path = method === 'PUT' ? KEYED : '/v3/clusters/c1/claims';
      const made = await world.send(method, path, { body: claimBody({}, { serviceUid: 'u1' }) });
      const own = `/v3/clusters/c1/claims/${encodeURIComponent(String(made.json['key']))}`;
      expect((await world.send('GET', own)).json).toMatchObject({ service: { serviceUid: 'u1' } });
      const held = await world.send('GET', '/v3/clusters/c1/holdings?serviceUid=u1');
      expect(held.json['entries']).toMatchObject([{ address: '192.0.2.0' }]);
      const terms = { options: { retentionPeriodDays: 2, denyExternalCleanup: false }, writtenKeys: [] };
      expect((await world.send('PATCH', own, { body: { terms } })).status).toBe(200);
      const released = await world.send('DELETE', '/v3/clusters/c1/claims?serviceUid=u1');
      expect(released.json).toEqual({ released: ['192.0.2.0'] });
    },
  );

  test('get their owner, or the next one, when they are asked for once more as owned at once', async () => {
    const world = new V3World();
    await world.send('PUT', KEYED, { body: claimBody({ as: 'lease' }) });
    for (const serviceUid of ['u1', 'u2']) {
      expect((await world.send('PUT', KEYED, { body: claimBody({}, { serviceUid }) })).status).toBe(200);
      expect((await world.send('GET', KEYED)).json).toMatchObject({ state: 'bound', service: { serviceUid } });
    }
    await world.send('PUT', KEYED, { body: claimBody() });
    expect((await world.send('GET', KEYED)).json).toMatchObject({ service: { serviceUid: 'u2' } });
  });

  const days = (retentionPeriodDays: number) => ({ options: { retentionPeriodDays, denyExternalCleanup: false } });

  test.each([
    ['not bound yet', 'lease', {}],
    ['bound to nobody', 'bound', {}],
    ['bound to the Service that asks', 'lease', { serviceUid: 'u1' }],
  ])('take other options under their key while %s', async (_what, as, of) => {
    const world = new V3World();
    await world.send('PUT', KEYED, { body: claimBody({ as }) });
    if ('serviceUid' in of)
      await world.send('PATCH', KEYED, { body: { claimant: { ...claimBody().claimant, ...of } } });
    expect((await world.send('PUT', KEYED, { body: claimBody({ as, ...days(4) }, of) })).status).toBe(200);
    expect((await world.send('GET', KEYED)).json).toMatchObject(days(4));
  });

  test.each([
    ['options.retentionPeriodDays', days(4)],
    ['options.denyExternalCleanup', { options: { retentionPeriodDays: 0, denyExternalCleanup: true } }],
    ['sharing', { sharing: { key: 'k', ports: ['53/UDP'], trafficPolicy: 'Cluster', selector: '' } }],
    ['writtenKeys', { writtenKeys: ['metallb.io/loadBalancerIPs'] }],
  ])('bound to a stored Service keep their terms from a caller that does not name it: %s', async (field, change) => {
    const world = new V3World();
    const asked = (more: Readonly<Record<string, unknown>> = {}) =>
      world.send('PUT', KEYED, { body: claimBody({ as: 'lease', ...more }) });
    await asked();
    await world.send('PATCH', KEYED, { body: { claimant: { ...claimBody().claimant, serviceUid: 'u1' } } });
    const before = (await world.send('GET', KEYED)).json;
    expect(await asked(change)).toMatchObject({ status: 409, json: { code: 'claim/key-used', field } });
    expect((await world.send('GET', KEYED)).json).toMatchObject({ options: before['options'] });
    expect((await asked()).status).toBe(200);
  });

  test('begin their retention when they are released', async () => {
    const world = new V3World();
    const options = { retentionPeriodDays: 3, denyExternalCleanup: false };
    await world.send('PUT', KEYED, { body: claimBody({ options }) });
    await world.send('DELETE', KEYED);
    expect((await world.ledger.record('192.0.2.0'))?.holders[0]?.state).toBe('retained');
  });

  test('change only when they still are as they were read', async () => {
    const world = new V3World();
    await world.send('PUT', KEYED, { body: claimBody() });
    const { etag } = (await world.send('GET', KEYED)).headers as { etag: string };
    const rotate = {
      secret: { value: 'custom-secret-of-a', scope: 'shared' },
      newSecret: { value: 'the-next-secret', scope: 'shared' },
    };
    const patch = () => world.send('PATCH', KEYED, { body: { rotate }, headers: { 'if-match': etag } });
    expect((await patch()).status).toBe(200);
    expect(await patch()).toMatchObject({ status: 412, json: { code: 'api/outdated' } });
    const gone = await world.send('DELETE', KEYED, { headers: { 'if-match': etag } });
    expect(gone.status).toBe(412);
    const odd = await world.send('DELETE', KEYED, { headers: { 'if-match': 'W/"1"' } });
    expect(odd).toMatchObject({ status: 412, json: { code: 'api/outdated', field: 'if-match' } });
    expect(odd.text).not.toContain('-1');
  });

  test('compare lists of tags and the star, each strongly', async () => {
    const world = new V3World();
    const patch = (headers: object) =>
      world.send('PATCH', KEYED, { headers, body: { claimant: { ...claimBody().claimant, serviceUid: 'u1' } } });
    await world.send('PUT', KEYED, { body: claimBody({ as: 'lease' }) });
    for (const header of ['"zz", "$"', '"$","zz"', ' "a,b" ,, "$" ', '*']) {
      const { etag } = (await world.send('GET', KEYED)).headers as { etag: string };
      expect([header, (await patch({ 'if-match': header.replace('"$"', etag) })).status]).toEqual([header, 200]);
    }
    const { etag } = (await world.send('GET', KEYED)).headers as { etag: string };
    for (const header of ['"zz"', `W/${etag}`, etag.replaceAll('"', ''), `${etag} "zz"`, '']) {
      const answer = await patch({ 'if-match': header });
      expect([header, answer.status, answer.json['field']]).toEqual([header, 412, 'if-match']);
    }
    for (const header of [etag, `"zz", W/${etag}`, '*']) {
      const answer = await patch({ 'if-none-match': header });
      expect([header, answer.status, answer.json['field']]).toEqual([header, 412, 'if-none-match']);
    }
    expect((await patch({ 'if-none-match': '"zz"' })).status).toBe(200);
  });

  test('are made or repeated under a key only as their caller expects them', async () => {
    const world = new V3World();
    const put = (headers: object, change: Readonly<Record<string, unknown>> = {}) =>
      world.send('PUT', KEYED, { headers, body: claimBody(change) });
    for (const header of ['*', '"1"']) {
      expect(await put({ 'if-match': header })).toMatchObject({ status: 412, json: { code: 'api/outdated' } });
    }
    expect(await world.ledger.tally()).toEqual({ held: 0, quarantined: 0 });
    const first = await Promise.all([put({ 'if-none-match': '*' }), put({ 'if-none-match': '*' })]);
    expect(first.map(({ status }) => status).sort()).toEqual([201, 412]);
    const { etag } = (await world.send('GET', KEYED)).headers as { etag: string };
    const options = { retentionPeriodDays: 5, denyExternalCleanup: false };
    expect((await put({ 'if-match': `"zz", ${etag}` }, { options })).status).toBe(200);
    expect(await put({ 'if-match': etag }, { options })).toMatchObject({ status: 412, json: { field: 'if-match' } });
    expect((await put({ 'if-match': '*' }, { options })).status).toBe(200);
    expect((await put({ 'if-none-match': etag })).status).toBe(200);
  });

  test('are undone only while no stored Service has them', async () => {
    const world = new V3World();
    await world.send('PUT', KEYED, { body: claimBody({ as: 'lease' }) });
    expect((await world.send('DELETE', `${KEYED}?undo=true`)).json).toEqual({ released: ['192.0.2.0'] });
    await world.send('PUT', KEYED, { body: claimBody({ as: 'lease' }) });
    const claimant = { ...claimBody().claimant, serviceUid: 'u1' };
    expect(await world.send('PATCH', KEYED, { body: { claimant } })).toMatchObject({ json: { state: 'bound' } });
    expect((await world.send('DELETE', `${KEYED}?undo=true`)).json).toEqual({ released: [] });
  });

  test('name the member at fault, the nearest word, and never a secret', async () => {
    const world = new V3World();
    const { zone: _zone, ...rest } = claimBody({ secret: { value: 'short', scope: 'shared' }, zonne: 'z' });
    const { status, json, text } = await world.send('PUT', KEYED, { body: rest });
    expect([status, json['code'], json['type']]).toEqual([
      400,
      'api/malformed',
      'https://ipam.vitistack.io/problems/api/malformed',
    ]);
    expect(json['detail']).toContain('did you mean "zone"?');
    expect(text).not.toContain('"short"');
    expect(world.logger.text).not.toContain('short');
    const broken = await world.send('PUT', KEYED, { body: '{"secret": "correct-horse", }' });
    expect(broken).toMatchObject({ status: 400, json: { code: 'api/malformed' } });
    expect(broken.text + world.logger.text).not.toContain('correct-horse');
  });

  test.each([
    ['a name', 'claimant.serviceName', { claimant: { namespaceUid: 'ns-a', namespace: 'a', serviceName: '\ud800' } }],
    ['a secret', 'secret.value', { secret: { value: 'aaaaaaaa\udc00', scope: 'shared' } }],
    [
      'sharing terms',
      'sharing.selector',
      { sharing: { key: 'k', ports: [], trafficPolicy: 'Local', selector: '\u0000' } },
    ],
  ])('refuse %s that no database can keep as it is', async (_name, field, change) => {
    const { status, json } = await new V3World().send('PUT', KEYED, { body: claimBody(change) });
    expect([status, json['code'], json['field']]).toEqual([400, 'api/malformed', field]);
  });

  test('name no members where an operation takes none', async () => {
    const { json } = await new V3World().send('GET', '/v3/clusters?limit=1');
    expect(json['detail']).toBe('limit: unknown field "limit"; none is allowed here');
  });

  test('are listed page by page, and a lease that ran out shows as stale until its cluster reports', async () => {
    const world = new V3World();
    for (const name of ['a', 'b', 'c']) {
      const body = claimBody({ as: 'lease' }, { serviceName: name });
      await world.send('POST', '/v3/clusters/c1/claims', { body });
    }
    world.ledger.clock.advance(301_000);
    const first = await world.send('GET', '/v3/clusters/c1/claims?limit=2');
    const next = encodeURIComponent(String(first.json['next']));
    const second = await world.send('GET', `/v3/clusters/c1/claims?limit=2&after=${next}`);
    const entries = [first, second].flatMap(({ json }) => json['entries'] as { address: string; stale: boolean }[]);
    expect(entries.map(({ address, stale }) => [address, stale])).toEqual([
      ['192.0.2.0', true],
      ['192.0.2.1', true],
      ['192.0.2.2', true],
    ]);
    const report = (more: object) =>
      world.send('PUT', '/v3/clusters/c1/report', { body: { ageMilliseconds: 0, ...more } });
    expect((await report({})).json).toEqual({ released: 0, bound: 0, listNeeded: true });
    const services = [{ namespace: 'a', name: 'b', uid: 'u', addresses: ['192.0.2.1'] }];
    expect((await report({ services })).json).toEqual({ released: 2, bound: 1, listNeeded: false });
    expect((await world.send('GET', '/v3/clusters')).json).toMatchObject({
      entries: [{ clusterUid: 'c1', claims: 1 }],
    });
  });

  test('answer unknown paths and methods of version 3 by problem details', async () => {
    const world = new V3World();
    const none = await world.send('GET', '/v3/none');
    expect([none.status, none.json['code'], none.headers['content-type']]).toEqual([
      404,
      'api/not-found',
      expect.stringContaining('application/problem+json'),
    ]);
    expect(await world.send('POST', '/v3/zones')).toMatchObject({
      status: 405,
      json: { code: 'api/method-not-allowed' },
    });
  });
});
