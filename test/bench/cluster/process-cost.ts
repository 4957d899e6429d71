import { readFileSync } from 'node:fs';

/** The kernel's unit in /proc, on every machine that runs Node. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of a process so far, its own and the kernel's for it; steps of 10 ms. */
export function cpuSeconds(pid: number): number {
  // the name of the program, in parentheses, may hold blanks
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process now, in MiB. */
export function residentMiB(pid: number): number {
  const [, kibibytes] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
