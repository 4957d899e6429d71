import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

const OPT_IN = { 'egressip-ipam-operator.redhat-cop.io/egressipam': 'zones' };

describe('examples/cdk8s/egress', () => {
  test('synthesizes an operator for egress addresses alone, an EgressIPAM, and namespaces that opt in', () => {
    const output = mkdtempSync(join(tmpdir(), 'egress-'));
    const app = 'npx tsx examples/cdk8s/egress/main.ts';
    try {
      execFileSync('npx', ['cdk8s', 'synth', '--app', app, '--output', output, '--check-upgrade=false'], {
        encoding: 'utf8',
      });
      const operator = readFileSync(join(output, '0000-ipam.k8s.yaml'), 'utf8');
      expect(operator).toContain('--egress=true');
      expect(operator).toContain('--store=objects');
      const objects = parseAllDocuments(readFileSync(join(output, '0001-egress.k8s.yaml'), 'utf8')).map(
        (each) => each.toJS() as Manifest,
      );
      const wish = { ...OPT_IN, 'egressip-ipam-operator.redhat-cop.io/egressips': '192.0.2.10,192.0.2.40' };
      expect(objects.map(({ kind, metadata: { name, annotations } }) => [kind, name, annotations])).toEqual([
        ['EgressIPAM', 'zones', undefined],
        ['Namespace', 'shop', OPT_IN],
        ['Namespace', 'blog', wish],
        ['Namespace', 'news', OPT_IN],
      ]);
    } finally {
      rmSync(output, { recursive: true });
    }
  }, 60_000);
});
