import type { Refusal } from '../../operator/errors/outcome';
import type { IpamServicePort } from './ipam-service-props';
import { MAX_PORT } from '../../operator/settings/parse-value';
import { malformed } from './malformed';

function numberProblem(field: string, value: number | string | undefined): readonly Refusal[] {
  if (typeof value !== 'number' || (Number.isInteger(value) && value >= 1 && value <= MAX_PORT)) return [];
  return [{ ...malformed(field, `${String(value)} is not a port; allowed is 1 to ${MAX_PORT}`), value: String(value) }];
}

const placeOf = ({ port, protocol = 'TCP' }: IpamServicePort): string => `${String(port)}/${protocol}`;

function clashes(ports: readonly IpamServicePort[], i: number): readonly Refusal[] {
  const entry = ports[i];
  if (entry === undefined) return [];
  const at = `ports[${String(i)}]`;
  const twin = ports.findIndex((other) => placeOf(other) === placeOf(entry));
  const namesake = ports.findIndex(({ name }) => name === entry.name);
  return [
    ...(twin < i ? [malformed(at, `${placeOf(entry)} is in ports[${String(twin)}] already; keep one of them`)] : []),
    ...(entry.name === undefined && ports.length > 1
      ? [malformed(`${at}.name`, 'it is missing; where a Service has several ports, each has a name of its own')]
      : []),
    ...(entry.name !== undefined && namesake < i
      ? [malformed(`${at}.name`, `"${entry.name}" is the name of ports[${String(namesake)}] too; give each its own`)]
      : []),
  ];
}

/**
 * Checks ports by the rules of the API server, which would refuse the Service with all its wishes.
 *
 * @param ports - of the Service
 * @returns every problem with its path
 */
export function portProblems(ports: readonly IpamServicePort[]): readonly Refusal[] {
  if (ports.length === 0) return [malformed('ports', 'there is none; a LoadBalancer Service has at least one')];
  return ports.flatMap((entry, i) => {
    const at = `ports[${String(i)}]`;
    return [
      ...numberProblem(`${at}.port`, entry.port),
      ...numberProblem(`${at}.targetPort`, entry.targetPort),
      ...(entry.nodePort === 0 ? [] : numberProblem(`${at}.nodePort`, entry.nodePort)), // 0: Kubernetes chooses
      ...clashes(ports, i),
    ];
  });
}
