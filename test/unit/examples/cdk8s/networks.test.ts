import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

describe('examples/cdk8s/networks', () => {
  test('synthesizes an operator for networks alone, and a plan with allocations behind its prefixes', () => {
    const output = mkdtempSync(join(tmpdir(), 'networks-'));
    const app = 'npx tsx examples/cdk8s/networks/main.ts';
    try {
      execFileSync('npx', ['cdk8s', 'synth', '--app', app, '--output', output, '--check-upgrade=false'], {
        encoding: 'utf8',
      });
      const operator = readFileSync(join(output, '0000-ipam.k8s.yaml'), 'utf8');
      expect(operator).toContain('--networks=true');
      expect(operator).toContain('--store=objects');
      const objects = parseAllDocuments(readFileSync(join(output, '0001-networks.k8s.yaml'), 'utf8')).map(
        (each) => each.toJS() as Manifest,
      );
      expect(objects.map(({ kind, metadata: { name } }) => [kind, name])).toEqual([
        ['NetworkInstance', 'vpc-1'],
        ['IPPrefix', 'aggregate0'],
        ['IPPrefix', 'net1-prefix1'],
        ['IPPrefix', 'net1-prefix10'],
        ['IPPrefix', 'loopbacks'],
        ['IPPrefix', 'vpc-1-2001-db8---32'],
        ['IPPrefix', 'vpc-1-2001-db8-1---64'],
        ['IPAllocation', 'web-ipv4'],
        ['IPAllocation', 'web-ipv6'],
        ['IPAllocation', 'n3'],
        ['IPAllocation', 'site'],
      ]);
      expect(new Set(objects.map(({ metadata: { namespace } }) => namespace))).toEqual(new Set(['default']));
    } finally {
      rmSync(output, { recursive: true });
    }
  }, 60_000);
});
