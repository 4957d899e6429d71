import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('examples/cdk8s/remote', () => {
  test('synthesizes an operator that calls version 2 of an IPAM-API elsewhere', () => {
    const output = mkdtempSync(join(tmpdir(), 'remote-'));
    const app = 'npx tsx examples/cdk8s/remote/main.ts';
    try {
      execFileSync('npx', ['cdk8s', 'synth', '--app', app, '--output', output, '--check-upgrade=false'], {
        encoding: 'utf8',
      });
      const yaml = readFileSync(join(output, 'ipam.k8s.yaml'), 'utf8');
      expect(yaml).toContain('--ipam-api-version=2');
      expect(yaml).toContain('--ipam-api-url=https://ipam-api.example.com');
      expect(yaml).toContain('ipam-intents-15');
    } finally {
      rmSync(output, { recursive: true });
    }
  });
});
