import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('examples/cdk8s/netbox', () => {
  test('synthesizes an operator whose zones come from NetBox', () => {
    const output = mkdtempSync(join(tmpdir(), 'netbox-'));
    const app = 'npx tsx examples/cdk8s/netbox/main.ts';
    try {
      execFileSync('npx', ['cdk8s', 'synth', '--app', app, '--output', output, '--check-upgrade=false'], {
        encoding: 'utf8',
      });
      const yaml = readFileSync(join(output, 'ipam.k8s.yaml'), 'utf8');
      expect(yaml).toContain('--netbox-url=https://netbox.example.com');
      expect(yaml).toContain('--netbox-token-file=/etc/ipam-netbox/token/token');
      expect(yaml).toContain('--netbox-fields=domain=datacenter,env=prod,purpose=loadbalancer');
      expect(yaml).toContain('fromNetBox: true');
      // MetalLB announces a zone of NetBox too, whose pool the operator writes
      const told = yaml.split('---').filter((text) => text.includes('kind: BGPAdvertisement'));
      expect(told.map((text) => /ipAddressPools:\n\s+- (\S+)/.exec(text)?.[1])).toEqual(['inet']);
      expect(yaml.match(/kind: L2Advertisement/g)).toHaveLength(2);
      expect(yaml).not.toContain('kind: IPAddressPool');
    } finally {
      rmSync(output, { recursive: true });
    }
  });
});
