import { readFileSync } from 'node:fs';

import { parseZoneText } from '../../../operator/contract/zone-text';
import type { ZoneCatalogue } from '../../../operator/contract/zones';
import { IpamError } from '../../../operator/errors/ipam-error';
import { SOME_TEXT } from '../../props-kit/values';

/**
 * Reads the zones from a zone file, for an app that holds Services but no {@link IpamOperator}; it is the file that the operator
 * reads, in the same words.
 *
 * @param path - YAML 1.2 or JSON, relative to the working directory or absolute
 * @returns the zones, for {@link IpamServiceProps.zones}
 * @throws {@link IpamError} `zone/invalid` when the file cannot be read, or with every problem of it, one a line
 */
export function zonesFromFile(path: string): ZoneCatalogue {
  const [fault] = SOME_TEXT.judge(path, 'path').faults;
  if (fault !== undefined) throw new IpamError('zone/invalid', fault.message);
  const outcome = parseZoneText(textOf(path));
  if (outcome.ok) return outcome.value;
  const lines = outcome.problems.map(({ message }) => `\n  - ${message}`).join('');
  throw new IpamError('zone/invalid', `the zone file "${path}" is not valid:${lines}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? 'unknown failure';
    throw new IpamError('zone/invalid', `the zone file "${path}" cannot be read (${code})`, { cause: thrown });
  }
}
