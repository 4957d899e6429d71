import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Addresses of the machines on the network of the nodes, IPv4 first. */
export const MACHINES = {
  node: ['10.77.0.10', 'fd77::10'],
  spare: ['10.77.0.11', 'fd77::11'],
} as const;
/** Addresses that one of the nodes has at a time. */
export const FAIL_OVER = ['10.77.0.100', 'fd77::100'] as const;
/** Segments of the IPGroups, which the router sends to the fail-over addresses. */
export const SEGMENTS = ['192.0.2.0/24', '2001:db8:0:1::/112'] as const;
/** Host outside of the cluster. */
export const CLIENT = ['10.88.0.2', 'fd88::2'] as const;

const ROUTER = ['10.77.0.1', 'fd77::1'] as const;
const LENGTHS = [24, 64] as const;
const ANSWER_SECONDS = 2;

/** Name of a machine with a node. */
export type Machine = keyof typeof MACHINES;

/** Runs `ip`. */
export const ip = (words: string): string => execFileSync('ip', words.split(' '), { encoding: 'utf8' });

/** Where a machine is: the tests run on `node` themselves. */
const at = (machine: Machine): string => (machine === 'node' ? '' : `-n ${machine} `);

/** `-6` where an address is of that family. */
const family = (address: string): string => (address.includes(':') ? '-6 ' : '');

const othersOf = (machines: readonly Machine[]): readonly Machine[] => machines.filter((each) => each !== 'node');

function attach(machine: Machine): void {
  ip(`${at(machine)}link add eth0 type veth peer name ${machine} netns router`);
  ip(`-n router link set ${machine} master lan up`);
  for (const link of ['lo', 'eth0']) ip(`${at(machine)}link set ${link} up`);
  for (const [i, address] of MACHINES[machine].entries()) {
    const nodad = address.includes(':') ? ' nodad' : '';
    ip(`${at(machine)}address add ${address}/${String(LENGTHS[i])} dev eth0${nodad}`);
    ip(`${at(machine)}${family(address)}route add default via ${String(ROUTER[i])}`);
  }
}

/** Lets a machine pass on what is not for itself, as kubelet's requirements ask of a node. */
function forward(machine: Machine | 'router'): void {
  const settings = ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1', 'net.ipv6.conf.all.accept_dad=0'];
  for (const setting of [...settings, 'net.ipv6.conf.default.accept_dad=0']) {
    const [name = '', value = ''] = setting.split('=');
    const file = `/proc/sys/${name.replaceAll('.', '/')}`;
    if (machine === 'node') writeFileSync(file, value);
    else execFileSync('ip', ['netns', 'exec', machine, 'sh', '-c', `echo ${value} > ${file}`]);
  }
}

/** What curl got. */
export interface Answer {
  /** What the Pod wrote; empty where none answered. */
  readonly text: string;
  /** Why there is none. */
  readonly failure: string;
}

/** An address as it stands before a port. */
export const hostOf = (address: string): string => (isIPv6(address) ? `[${address}]` : address);

/** URL of an address, or of an IPv4 address with its port. */
export const urlOf = (address: string): string => `http://${hostOf(address)}/`;

/** Asks over HTTP, from the host outside of the cluster unless another place is named. */
export async function curl(url: string, place = 'client'): Promise<Answer> {
  const words = ['curl', '-gsS', '--noproxy', '*', '-m', String(ANSWER_SECONDS), url];
  const [program = '', ...args] = place === 'node' ? words : ['ip', 'netns', 'exec', place, ...words];
  try {
    return { text: (await execute(program, args)).stdout.trim(), failure: '' };
  } catch (thrown) {
    return { text: '', failure: String((thrown as { stderr?: string }).stderr ?? thrown).trim() };
  }
}

/**
 * Makes the network around the nodes: a host outside (`client`), a `router` that it has as its default, and the machines with
 * nodes on the other side of it. The router knows the segments of the groups by a static route to the fail-over addresses.
 */
export function makeLan(machines: readonly Machine[] = ['node']): void {
  for (const name of ['router', 'client', ...othersOf(machines)]) {
    ip(`netns add ${name}`);
    ip(`-n ${name} link set lo up`);
  }
  forward('router');
  ip('-n router link add lan type bridge');
  ip('-n router link set lan up');
  ip('-n router link add outside type veth peer name eth0 netns client');
  ip('-n router link set outside up');
  ip('-n client link set eth0 up');
  for (const [i, address] of ROUTER.entries()) {
    const nodad = address.includes(':') ? ' nodad' : '';
    const outside = String(CLIENT[i]).replace(/2$/u, '1');
    ip(`-n router address add ${address}/${String(LENGTHS[i])} dev lan${nodad}`);
    ip(`-n router address add ${outside}/${String(LENGTHS[i])} dev outside${nodad}`);
    ip(`-n client address add ${String(CLIENT[i])}/${String(LENGTHS[i])} dev eth0${nodad}`);
    ip(`-n client ${family(address)}route add default via ${outside}`);
  }
  for (const machine of machines) {
    forward(machine);
    attach(machine);
  }
  for (const [i, segment] of SEGMENTS.entries())
    ip(`-n router ${family(segment)}route add ${segment} via ${String(FAIL_OVER[i])}`);
}

/** Gives the fail-over addresses to a machine, as keepalived does: they leave the former one, and the router hears of it. */
export function failOverTo(machine: Machine, former?: Machine): void {
  for (const address of FAIL_OVER) {
    const length = address.includes(':') ? '128' : '32';
    if (former !== undefined) ip(`${at(former)}address del ${address}/${length} dev eth0`);
    ip(`${at(machine)}address add ${address}/${length} dev eth0${length === '128' ? ' nodad' : ''}`);
  }
  // what an announcement of the new holder (gratuitous ARP, unsolicited NDP) does to the tables of the router
  ip('-n router neigh flush dev lan');
}

/** Takes the network away. */
export function removeLan(machines: readonly Machine[] = ['node']): void {
  for (const name of ['router', 'client', ...othersOf(machines)]) ip(`netns del ${name}`);
}
