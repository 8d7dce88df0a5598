// How long ago something was, by whichever clock says more: one stands still while the machine sleeps, the other may be set.

export type Stopwatch = () => number

export function stopwatch(): Stopwatch {
  const [steady, wall] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - steady, Date.now() - wall)
}
