import { join } from 'node:path';
import type { Settings } from '../../operator/settings/options';
import { parseSettings } from '../../operator/settings/parse-settings';

/**
 * Settings of a standalone operator whose files are in one folder, and which listens on free ports of the loopback.
 *
 * @param folder - has `zones.yaml`; the operator adds `ipam.sqlite`, `hash-key` and `ca.crt`
 * @param more - further arguments
 */
export function standaloneSettings(folder: string, ...more: readonly string[]): Settings {
  const at = (name: string): string => join(folder, name);
  const argv = [
    ...['--standalone', '--zones-file', at('zones.yaml'), '--sqlite-file', at('ipam.sqlite')],
    ...['--hash-key-file', at('hash-key'), '--self-signed-ca-file', at('ca.crt'), '--shutdown-delay', '0'],
    ...['--webhook-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '127.0.0.1:0', ...more],
  ];
  const parsed = parseSettings({ argv, env: {} });
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join('; '));
  return parsed.value;
}
