import { ApiObject, Lazy } from 'cdk8s';
import type { Construct } from 'constructs';

import { isMap, listOf } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';
import type { Refusal } from '../../operator/errors/outcome';
import { hasFields, notAllowed, SOME_TEXT } from '../props-kit/values';
import { IpamService } from './ipam-service';
import type { ExposeViaIpamProps, IpamServicePort } from './ipam-service-props';
import { isPods, isWorkload, type IWorkload, type WorkloadPort } from './pods';
import { stableLabelProblems, stableLabels } from './stable-labels';
import { malformed } from './malformed';

const portsOf = (workload: IWorkload): readonly WorkloadPort[] => workload.containers.flatMap(({ ports }) => ports);

// The number of the container's port, so that the Service keeps working where a port is renamed.
function servicePorts(workload: IWorkload): readonly IpamServicePort[] {
  const ports = portsOf(workload);
  return ports.map(({ number, name, protocol = 'TCP' }) => {
    const unnamed = ports.length > 1 ? { name: `${protocol.toLowerCase()}-${String(number)}` } : {};
    return {
      port: number,
      targetPort: number,
      protocol: protocol as NonNullable<IpamServicePort['protocol']>,
      ...(name === undefined ? unnamed : { name }),
    };
  });
}

function serviceName(workload: IWorkload): string {
  const { name, node } = workload;
  const object = ApiObject.of(workload);
  if (name !== object.chart.generateObjectName(object)) return name;
  const label = node.id.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-');
  // older API servers take no Service whose name starts with a digit
  const trimmed = label
    .replace(/^[^a-z]+/u, '')
    .slice(0, 63)
    .replace(/-$/u, '');
  return trimmed === '' ? name : trimmed;
}

// Ports of another shape are reported by the Service.
function missingPorts(workload: IWorkload, ports: ExposeViaIpamProps['ports']): readonly Refusal[] {
  const names = portsOf(workload).flatMap(({ name }) => (name === undefined ? [] : [name]));
  const has = `its ports are named ${names.join(', ') || 'nothing'}`;
  return listOf(ports).flatMap((port, i) => {
    const name = isMap(port) ? port['targetPort'] : undefined;
    if (typeof name !== 'string' || names.includes(name)) return [];
    const at = `ports[${String(i)}].targetPort`;
    return [malformed(at, `no container of "${workload.name}" has a port named "${name}"; ${has}`)];
  });
}

function workloadProblems(workload: IWorkload, { ports }: ExposeViaIpamProps): readonly Refusal[] {
  const labels = Object.keys(workload.matchLabels).length;
  const expressions = workload.matchExpressions.map(({ key, operator }) => `"${key} ${operator}"`).join(', ');
  const selects = 'a Service selects Pods by labels alone';
  return [
    ...(expressions === ''
      ? []
      : [malformed('selector', `${selects}, but "${workload.name}" has expressions (${expressions})`)]),
    ...(labels > 0
      ? stableLabelProblems(workload, 'selector')
      : [malformed('selector', `${selects}, but "${workload.name}" has none; call its select()`)]),
    ...(ports === undefined && portsOf(workload).length === 0
      ? [
          malformed(
            'ports',
            `no container of "${workload.name}" has a port; add ports to a container, or give ports here`,
          ),
        ]
      : []),
    ...missingPorts(workload, ports),
  ];
}

/** Props by which the workload names its Pods. */
const OF_THE_WORKLOAD = ['selector', 'labelSelector', 'pods'] as const;
const WORKLOAD = 'a workload of cdk8s-plus (Deployment, StatefulSet, DaemonSet or Job)';

// Callers in plain JavaScript have no compiler, and further down it is not known any more what was handed in.
function checkArguments(workload: unknown, props: unknown): void {
  const ours = isWorkload(workload);
  const single = !ours && isPods(workload) ? '; a Pod is exposed by an IpamService whose prop pods names it' : '';
  const faults = [
    ...(ours ? [] : [`${notAllowed('workload', workload, WORKLOAD).message}${single}`]),
    ...(hasFields(props) ? [] : [notAllowed('', props, 'a map of props').message]),
  ];
  if (faults.length > 0) throw new IpamError('wish/malformed', faults.join('\n'));
}

const isId = (id: unknown): id is string => typeof id === 'string' && id.trim() !== '';

function ownProblems(props: ExposeViaIpamProps): readonly Refusal[] {
  const id = props.id === undefined ? [] : SOME_TEXT.judge(props.id, 'id').faults;
  return [
    ...id.map((fault): Refusal => ({ code: 'wish/malformed', ...fault })),
    ...OF_THE_WORKLOAD.filter((prop) => prop in props).map((prop) =>
      malformed(prop, 'the workload says which Pods are meant; leave it out, or use an IpamService'),
    ),
  ];
}

/**
 * Puts an {@link IpamService} in front of a Deployment or another workload of cdk8s-plus, in its namespace. Where no
 * `name` is given, the Service has the name that the workload was given, else the id of the workload as a DNS label: the names
 * that cdk8s generates hold a hash that changes with the path of the construct.
 *
 * The Service selects by the labels by which the workload selects, those that are added later included, but never by
 * `cdk8s.io/metadata.addr`: that hash, by which cdk8s-plus selects unless it is told otherwise, changes with the path of the
 * construct. Where the workload selects by nothing else, the labels of its Pods are taken (`podMetadata`). Synth fails where they
 * have none, and where another workload of the chart and namespace has them too.
 *
 * @param workload - with its containers
 * @param props - wish for addresses, and ports where they are not those of the containers
 * @returns the Service, a child of the workload
 * @throws {@link IpamError} `wish/malformed` for what is no workload
 */
export function exposeViaIpam(workload: Construct & IWorkload, props: ExposeViaIpamProps = {}): IpamService {
  checkArguments(workload, props);
  const problems = ownProblems(props);
  const { id, ports, ...given } = props;
  const wish = Object.fromEntries(
    Object.entries(given).filter(([prop]) => !(OF_THE_WORKLOAD as readonly string[]).includes(prop)),
  ) as typeof given;
  const namespace = wish.namespace ?? workload.metadata.namespace;
  const found = ports ?? servicePorts(workload);
  const service = new IpamService(workload, isId(id) ? id : 'IpamService', {
    ...wish,
    name: wish.name ?? serviceName(workload),
    ...(namespace === undefined ? {} : { namespace }),
    // a port that stands in for none: its absence is reported below, with the workload's name
    ports: ports === undefined && found.length === 0 ? [{ port: 80 }] : found,
    selector: Lazy.any({ produce: () => stableLabels(workload) }) as Readonly<Record<string, string>>,
  });
  service.node.addValidation({
    validate: () => [...problems, ...workloadProblems(workload, props)].map(({ message }) => message),
  });
  return service;
}
