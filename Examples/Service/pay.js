// usage: node pay.js SOCKET GATEWAY TOKEN ORDER     pays an order; prints the outcome, and exits like paytoken pay
const fs = require('fs'), http = require('http')
const exits = { paid: 0, refused: 1, returned: 1, 'action-required': 4, pending: 4, returning: 4,
  authorized: 6, 'partly-authorized': 6, 'partly-paid': 6, 'partly-returned': 6 }
const [socketPath, gateway, token, order] = process.argv.slice(2)
const finish = (text, status) => { console.log(text); process.exit(status) }
const notSent = (error) => finish(`not sent: ${error.message}`, 3)
const unknown = () => finish('unknown', 5) // The order may be paid: send it again, or ask for its outcome.
const read = (file) => { try { return JSON.parse(fs.readFileSync(file)) } catch (error) { notSent(error) } }
const body = JSON.stringify({ gateway, token: read(token), order: read(order) })
const request = http.request({ socketPath, method: 'POST', path: '/v1/pay',
  headers: { 'Content-Type': 'application/json', 'Paytoken-Request': 'true' } }, (answer) => {
  const parts = [], status = answer.statusCode
  answer.on('data', (part) => parts.push(part)).on('error', unknown).on('end', () => {
    let text
    try { text = JSON.parse(Buffer.concat(parts))[status === 200 ? 'outcome' : 'message'] } catch { unknown() }
    if (typeof text !== 'string') unknown()
    finish(text, status === 200 ? exits[text] ?? 5 : { 422: 1, 503: 3 }[status] ?? (status < 500 ? 2 : 5))
  })
})
request.on('error', (error) => error.syscall === 'connect' ? notSent(error) : unknown())
setTimeout(unknown, 1000 * (process.env.TIMEOUT ?? 90))
request.end(body) // With the body in `end`, Node states its length; `write` sends chunks, which the service refuses.
