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
      '/cluster-api/findings': page('IPAddressClaims', 'ipam_cluster_api_'),
      '/readyz': { checks: [] },
    });
    const { exit, text } = await run('doctor');
    expect(exit).toBe(0);
    for (const check of ['IPGroups', 'NetworkInstances', 'IPAddressClaims'])
      expect(text).toMatch(new RegExp(`^ok +${check} +all ${check} are well$`, 'mu'));
  });
});
