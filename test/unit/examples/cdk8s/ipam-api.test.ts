import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('examples/cdk8s/ipam-api', () => {
  test('synthesizes an IPAM-API for other clusters, with nothing for Services of its own', () => {
    const output = mkdtempSync(join(tmpdir(), 'ipam-api-'));
    const app = 'npx tsx examples/cdk8s/ipam-api/main.ts';
    try {
      execFileSync('npx', ['cdk8s', 'synth', '--app', app, '--output', output, '--check-upgrade=false'], {
        encoding: 'utf8',
      });
      const yaml = readFileSync(join(output, 'ipam.k8s.yaml'), 'utf8');
      expect(yaml).toContain('--services=false');
      expect(yaml).toContain('--ipam-api-clients-file=');
      for (const kind of ['MutatingWebhookConfiguration', 'ClusterRole', 'IPAddressPool', 'Issuer'])
        expect(yaml).not.toContain(`kind: ${kind}\n`);
    } finally {
      rmSync(output, { recursive: true });
    }
  });
});
