import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { runCommand } from '../../../../operator/cli/program';
import type { VipsExplanation } from '../../../../operator/contract/ipam-api/vips-pages';
import { refuse } from '../../../../operator/errors/outcome';
import { registerWithoutRecord } from '../../../../operator/front-doors/admin/index';

const WHY = 'this operator keeps no record of zones';
const folder = mkdtempSync(join(tmpdir(), 'ipam-vips-'));
const socket = join(folder, 's');
let app: FastifyInstance;

async function serve(pages: Readonly<Record<string, unknown>>): Promise<void> {
  app = Fastify();
  registerWithoutRecord(app, {
    cluster: { clusterUid: () => Promise.resolve('uid'), families: () => Promise.resolve([4]) },
    why: WHY,
  });
  for (const [path, page] of Object.entries(pages)) app.get(path, (_request, reply) => reply.send(page));
  await app.listen({ path: socket });
}

async function run(...argv: readonly string[]): Promise<{ readonly exit: number; readonly text: string }> {
  let text = '';
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const terminal = { env: {}, input: () => Promise.resolve(refuse('internal', 'none')), drafts: new Set<string>() };
  const exit = await runCommand(['--socket', socket, ...argv], { ...terminal, output, errors: output } as never);
  return { exit, text };
}

const EGRESS = {
  address: '192.0.2.1',
  network: 'default',
  egressIpam: 'bm',
  state: 'held',
  namespace: 'shop',
  since: '2026-01-01T00:00:00Z',
};
const unknown: VipsExplanation = { known: false, sentences: [], addresses: [] };

describe('an operator without a record of zones', () => {
  afterEach(() => app.close());
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['zones'],
    ['services'],
    ['clusters'],
    ['show', '192.0.2.1'],
    ['release', '192.0.2.1'],
    ['plan', 'shop/web'],
    ['explain', 'a.key'],
    ['evict', 'shop/web', '--yes'],
    ['rename-cluster', 'a', 'b', '--yes'],
    ['backup', join(folder, 'copy')],
  ])('tells that it has none, for ipam %s', async (...argv) => {
    await serve({});
    const { exit, text } = await run(...argv);
    expect([exit, text]).toEqual([2, `ipam: ${WHY} (store/no-zones)\n`]);
  });

  test('tells the same where it has no VIPs door either', async () => {
    await serve({});
    for (const argv of [
      ['tree'],
      ['doctor'],
      ['explain', '192.0.2.1'],
      ['explain', 'shop/web'],
      ['history', '192.0.2.1'],
    ])
      expect((await run(...argv)).text).toContain(WHY);
  });

  test('has a tree without a group', async () => {
    await serve({ '/vips/tree': { groups: [], groupless: [] } });
    expect(await run('tree')).toEqual({ exit: 0, text: 'there is no IPGroup yet\n' });
  });

  test('tells of a Service that the VIPs door does not know', async () => {
    await serve({ '/vips/services/shop/web': unknown });
    expect(await run('explain', 'shop/web')).toMatchObject({ exit: 3 });
  });

  test('finds nothing wrong', async () => {
    const page = (check: string, counted: string) => ({ check, well: `all ${check} are well`, counted, findings: [] });
    await serve({
      '/vips/findings': page('IPGroups', 'ipam_vip_'),
      '/networks/findings': page('NetworkInstances', 'ipam_network_'),
      '/egress/findings': page('EgressIPAMs', 'ipam_egress_'),
      '/cluster-api/findings': page('IPAddressClaims', 'ipam_cluster_api_'),
      '/readyz': { checks: [] },
    });
    const { exit, text } = await run('doctor');
    expect(exit).toBe(0);
    for (const check of ['IPGroups', 'NetworkInstances', 'EgressIPAMs', 'IPAddressClaims'])
      expect(text).toMatch(new RegExp(`^ok +${check} +all ${check} are well$`, 'mu'));
  });

  test('explains a Namespace of the Egress door', async () => {
    const sentences = ['Namespace shop opts in to EgressIPAM "bm"'];
    await serve({
      '/vips/services/namespace/shop': unknown,
      '/egress/objects/namespace/shop': { known: true, sentences, addresses: [EGRESS] },
    });
    expect(await run('explain', 'namespace/shop')).toEqual({ exit: 0, text: `${sentences.join('')}\n` });
    const json = JSON.parse((await run('explain', 'namespace/shop', '--output', 'json')).text) as object;
    expect(json).toMatchObject({ what: 'namespace/shop', egress: [EGRESS], ips: [], claims: [] });
  });

  test('lists the past of an egress address', async () => {
    const event = { time: '2026-01-02T00:00:00Z', reason: 'Served', object: 'Namespace shop', message: '' };
    await serve({ '/egress/addresses/192.0.2.1/history': { addresses: [EGRESS], events: [event] } });
    const { exit, text } = await run('history', '192.0.2.1');
    expect(exit).toBe(0);
    expect(text).toMatch(/^from +until +state +egressipam +object +cluster/iu);
    expect(text).toMatch(/^2026-01-01T00:00:00Z +held +bm +Namespace shop/mu);
    expect(text).toMatch(/^2026-01-02T00:00:00Z +event Served +Namespace shop/mu);
  });

  test.each([
    ['several doors', { vips: { events: [] }, egress: { addresses: [], events: [] } }, 'pool'],
    ['the VIPs door', { vips: { events: [] } }, 'ipgroup'],
    ['the Networks door', { networks: { entries: [], events: [] } }, 'instance'],
  ])('names the column of pools in the history of an operator with %s', async (_title, doors, column) => {
    await serve(
      Object.fromEntries(Object.entries(doors).map(([door, page]) => [`/${door}/addresses/192.0.2.1/history`, page])),
    );
    expect((await run('history', '192.0.2.1')).text).toMatch(new RegExp(`^from +until +state +${column} `, 'iu'));
  });

  test('draws EgressIPAMs beside IPGroups, and one of them by its name', async () => {
    const ipam = { egressIpam: 'bm', network: 'default', dataplane: 'none', cidrs: [], outside: [] };
    await serve({
      '/vips/tree': { groups: [], groupless: [] },
      '/egress/tree': { egressIpams: [ipam], withoutIpam: [EGRESS] },
    });
    const first = 'EgressIPAM default/bm (dataplane none)\n';
    expect((await run('tree')).text.startsWith(`${first}Egress addresses of no EgressIPAM\n`)).toBe(true);
    expect(await run('tree', 'bm')).toEqual({ exit: 0, text: first });
    expect((await run('tree', 'other')).text).toContain('no zone and no IPGroup and no EgressIPAM is named "other"');
  });
});
